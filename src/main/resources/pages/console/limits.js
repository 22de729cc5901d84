/** The limits of definitions; a test compares them with the OpenAPI document. */
export const LIMITS = {
  "SaleDefinition": {
    "title": { "maxLength": 200 },
    "items": { "minItems": 1, "maxItems": 100 },
    "maxQuantity": { "minimum": 1, "maximum": 1000000, "default": 100 },
    "duplicateGuard": { "enum": ["none", "cart", "user"], "default": "none" },
    "duplicateGuardWindow": { "default": "PT2S" },
    "returnRestoresLimit": { "default": true },
    "ordersPerUser": { "minimum": 1, "maximum": 1000, "default": 20 },
    "unpaidHolds": { "minimum": 0, "maximum": 1000, "default": 3 },
    "durability": { "enum": ["redis", "replicas", "ledger"] },
    "shards": { "minimum": 1, "maximum": 1024, "default": 1 }
  },
  "SaleDefinitionItem": {
    "title": { "maxLength": 200 },
    "total": { "minimum": 0, "maximum": 1000000000 },
    "limitPerUser": { "minimum": 0, "maximum": 1000000000, "default": 1 }
  },
  "RainDefinition": {
    "title": { "maxLength": 200 },
    "limitPerUser": { "minimum": 1, "maximum": 100, "default": 3 },
    "durability": { "enum": ["redis", "replicas", "ledger"] }
  },
  "Envelopes": {
    "amounts": { "minItems": 1, "maxItems": 50000 },
    "total": { "minimum": 1, "maximum": 9007199254740991 },
    "count": { "minimum": 1, "maximum": 1000000 },
    "split": { "enum": ["even", "double-mean", "random-cut"] },
    "min": { "minimum": 1 }
  }
};

/** Patterns of ids that clients choose, and of users. */
export const ID = '(?!\\.{1,2}$)[A-Za-z0-9._\\-]{1,64}';
export const USER = '(?!\\.{1,2}$)[!-~]{1,128}';
/** Patterns of keys and payment references, and of order ids. */
export const VISIBLE = '[!-~]{1,128}';
export const UUID = '\\s*[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\\s*';

/** The longest windows, in seconds; the OpenAPI document has them in prose. */
export const PAYMENT_WINDOW_MAX = 30 * 86400;
export const GUARD_WINDOW_MAX = 3600;
