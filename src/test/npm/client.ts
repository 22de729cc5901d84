// A client as openapi-typescript and openapi-fetch make it: buys, reads the order, is refused.
import createClient from "openapi-fetch";
import type { components, paths } from "./rush.js";

type Order = components["schemas"]["Order"];

const [url, sale] = process.argv.slice(2);
const buyer = { "X-User-Id": "711" };
const client = createClient<paths>({ baseUrl: url, headers: buyer });

async function buy(key: string): Promise<Order | string> {
  const { data, error } = await client.POST("/v1/sales/{sale}/purchases", {
    params: { path: { sale }, header: { "Idempotency-Key": key } },
    body: { items: [{ sku: "apple", quantity: 1 }] },
  });
  return data ?? error.type;
}

const order = (await buy("first")) as Order;
const { data: found } = await client.GET("/v1/sales/{sale}/orders/{order}", {
  params: { path: { sale, order: order.order } },
});
console.log(found?.items[0]?.quantity, await buy("second"));
