/** Owns what an MCP client is told when the service fails: the public words and the request's id, no more. The log has the rest. */
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { publicMessage, type SkillsError, toSkillsError } from "../model/errors.ts";

/** Told of what went wrong inside. */
export type OnFailure = (error: SkillsError) => void;

/** A function whose failures are told to the client in public words only. */
export function guarded<Arguments extends readonly unknown[], Result>(
  onFailure: OnFailure,
  call: (...args: Arguments) => Promise<Result>,
): (...args: Arguments) => Promise<Result> {
  return async (...args) => {
    try {
      return await call(...args);
    } catch (thrown) {
      if (thrown instanceof ProtocolError) {
        throw thrown;
      }
      const error = toSkillsError(thrown);
      onFailure(error);
      throw new ProtocolError(ProtocolErrorCode.InternalError, publicMessage(error));
    }
  };
}
