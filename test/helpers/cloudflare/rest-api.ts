/** Cloudflare's REST API: who may call it, and which part of it is meant. */
import { API_TOKEN, type ApiAnswer, type ApiRequest, LOGIN_TOKEN, type Stores, TOKEN_ID } from "./account.ts";
import { answerKv } from "./kv-api.ts";
import { answerR2, R2_PATH } from "./r2-api.ts";
import { problem, result } from "./rest-answer.ts";
import { answerWorkers, WORKERS_PATH } from "./workers-api.ts";

/** Answers a request for `/client/v4/…`; with `isPartial` a bulk write of KV does half of its work. */
export function answerRest(stores: Stores, request: ApiRequest, isPartial: boolean): ApiAnswer {
  const token = request.headers.authorization?.replace("Bearer ", "");
  if (token !== API_TOKEN && token !== LOGIN_TOKEN) {
    return problem(401, 10000, "Authentication error");
  }
  const path = request.url.pathname.slice("/client/v4".length);
  if (path === "/accounts") {
    return result(stores.accounts);
  }
  if (path.endsWith("/tokens/verify")) {
    return token === API_TOKEN ? result({ id: TOKEN_ID, status: "active" }) : problem(401, 1000, "Invalid API Token");
  }
  if (WORKERS_PATH.test(path)) {
    return answerWorkers(stores, request, path);
  }
  return R2_PATH.test(path) ? answerR2(stores, request, path) : answerKv(stores, request, isPartial);
}
