#!lua flags=no-writes
--[[
Record: what Redis has of one user's orders in a sale, and which of them may still wait.

KEYS[1] conf    hash    the sale's terms and state
KEYS[2] stock   hash    <sku>:total <sku>:ordered <sku>:limit
KEYS[3] buyers  hash    user → record, as purchase.lua writes it
KEYS[4] stream  stream  accepted orders and grabs of the partition
ARGV[1] user

Returns 1 if the sale is loaded and else 0, the lowest number that may wait in the stream or
nothing if none does, and the record or nothing.

Keeps: nothing is written.
]]
local conf, stock, buyers, stream = unpack(KEYS)
-- include head
-- include lost

local is_loaded = redis.call('EXISTS', conf, stock) == 2 and not are_buyers_lost(stock, buyers)
return { is_loaded and 1 or 0, first_waiting(stream) or false,
  redis.call('HGET', buyers, ARGV[1]) }
