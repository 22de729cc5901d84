#!lua flags=no-writes
--[[
Find: whose order this is, if Redis has it and the ledger may not have it yet.

KEYS[1] conf    hash  the sale's terms and state
KEYS[2] stock   hash  <sku>:total <sku>:ordered <sku>:limit
KEYS[3] orders  hash  order → "<user> <key>"
ARGV[1] order

Returns the first that applies:
  accepted user key | not-loaded | unknown-order

Keeps: nothing is written.
]]
local conf, stock, orders = unpack(KEYS)

local user_key = redis.call('HGET', orders, ARGV[1])
if user_key then
  return 'accepted ' .. user_key
end
return redis.call('EXISTS', conf, stock) < 2 and 'not-loaded' or 'unknown-order'
