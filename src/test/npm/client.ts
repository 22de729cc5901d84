// A client as openapi-typescript and openapi-fetch make it: buys, repeats the purchase, pays,
// returns, and is refused.
import createClient from "openapi-fetch";
import type { components, paths } from "./rush.js";

type Order = components["schemas"]["Order"];

const [url, sale] = process.argv.slice(2);
const buyer = createClient<paths>({ baseUrl: url, headers: { "X-User-Id": "711" } });
const payer = createClient<paths>({
  baseUrl: url, headers: { "X-User-Id": "pia", "X-User-Roles": "payer" },
});

async function buy(key: string): Promise<{ order?: Order; problem?: string; replayed: boolean }> {
  const { data, error, response } = await buyer.POST("/v1/sales/{sale}/purchases", {
    params: { path: { sale }, header: { "Idempotency-Key": key } },
    body: { items: [{ sku: "apple", quantity: 1 }] },
  });
  const replayed = response.headers.get("Idempotency-Replayed") === "true";
  return { order: data, problem: error?.type, replayed };
}

const { order } = await buy("first");
if (!order) {
  throw new Error("nothing was bought");
}
const path = { sale, order: order.order };
const again = await buy("first");
console.log("replayed", again.replayed && again.order?.order === order.order);
console.log("refused", (await buy("second")).problem);

const { data: reserved } = await buyer.GET("/v1/sales/{sale}/orders/{order}", {
  params: { path, query: { wait: 20 } },
});
console.log(reserved?.status, reserved?.items[0]?.quantity);
const { data: paid } = await payer.POST("/v1/sales/{sale}/orders/{order}/confirm", {
  params: { path, query: { user: order.user } },
  body: { paymentReference: "pay-1", amount: 129900, currency: "EUR" },
});
console.log(paid?.status, paid?.paymentReference);
const { data: returned } = await buyer.POST("/v1/sales/{sale}/returns", {
  params: { path: { sale } },
  body: { idempotencyKey: "first" },
});
console.log(returned?.state);
