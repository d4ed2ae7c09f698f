/** Owns what a user would write by hand: a Hono Worker that answers the same bytes and knows nothing. */
import { Hono } from "hono";

const app = new Hono<{ Bindings: { readonly ANSWER: string } }>();

app.post("/bare", (c) => c.body(c.env.ANSWER, 200, { "Content-Type": "application/json" }));

app.post("/reading", async (c) => {
  await c.req.json();
  return c.body(c.env.ANSWER, 200, { "Content-Type": "application/json" });
});

export default app;
