/** Owns asking workerd's inspector: `process.memoryUsage()` tells nothing there. */
import { setTimeout as pause } from "node:timers/promises";

/** A connection to the isolate of a Worker. */
export interface Inspector {
  send(method: string, parameters?: object): Promise<Record<string, unknown>>;
  close(): void;
}

/** Connects to a Worker's isolate. */
export async function connectInspector(inspector: URL, worker: string): Promise<Inspector> {
  const targets = (await (await fetch(`http://${inspector.host}/json`)).json()) as {
    id: string;
    webSocketDebuggerUrl: string;
  }[];
  const target = targets.find(({ id }) => id.includes(worker));
  if (!target) {
    throw new Error(`no inspector target for ${worker}: ${JSON.stringify(targets)}`);
  }
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = reject;
  });
  const waiting = new Map<number, (result: Record<string, unknown>) => void>();
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(String(data)) as { id?: number; result?: Record<string, unknown> };
    waiting.get(message.id ?? 0)?.(message.result ?? {});
  };
  let id = 0;
  return {
    send(method, parameters = {}) {
      id++;
      const answer = new Promise<Record<string, unknown>>((resolve) => waiting.set(id, resolve));
      socket.send(JSON.stringify({ id, method, params: parameters }));
      return answer;
    },
    close: () => socket.close(),
  };
}

/** Bytes of the heap that are in use after a collection. `visit` makes a request: workerd collects when the isolate next runs. */
export async function usedHeap(inspector: Inspector, visit: () => Promise<unknown>): Promise<number> {
  let isCollected = false;
  const collected = inspector.send("HeapProfiler.collectGarbage").then(() => {
    isCollected = true;
  });
  // The request may be over before the isolate has heard of the collection.
  for (let visits = 0; !isCollected; visits++) {
    if (visits === 100) {
      throw new Error("the isolate was asked to collect and did not");
    }
    await visit();
    await Promise.race([collected, pause(50)]);
  }
  const { usedSize } = await inspector.send("Runtime.getHeapUsage");
  return Number(usedSize);
}
