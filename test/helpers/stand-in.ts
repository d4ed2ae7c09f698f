/** Stands in for a model provider's service on 127.0.0.1: answers what it was told, in turn, and keeps what it was sent. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** A service that answers JSON. */
export class StandIn {
  /** What it answers, one after the other. */
  answers: unknown[] = [];
  /** What it was sent. */
  readonly bodies: unknown[] = [];
  url = "";
  #server: Server | null = null;

  /** Begins to listen on a free port. */
  async start(): Promise<void> {
    this.#server = createServer((request, response) => {
      let text = "";
      request.on("data", (part) => {
        text += String(part);
      });
      request.on("end", () => {
        this.bodies.push(JSON.parse(text));
        response.setHeader("Content-Type", "application/json");
        response.end(JSON.stringify(this.answers.shift() ?? null));
      });
    });
    const server = this.#server;
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** Stops listening. */
  async stop(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise((closed) => this.#server?.close(closed));
  }
}
