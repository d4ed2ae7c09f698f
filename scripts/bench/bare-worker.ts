/** Owns what a user would write by hand: a Hono Worker that answers the same bytes without knowing anything. */
import { Hono } from "hono";

const app = new Hono<{ Bindings: { readonly ANSWER: string } }>();

app.post("/v1/tools/load_skill", (c) => c.body(c.env.ANSWER, 200, { "Content-Type": "application/json" }));

export default app;
