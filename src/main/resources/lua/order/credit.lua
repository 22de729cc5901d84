#!lua flags=allow-oom
--[[
Credit: credit the units of expired or returned orders of one sale to its stock, each once.

KEYS[1] conf    hash  the sale's terms and state
KEYS[2] stock   hash  <sku>:total <sku>:ordered <sku>:limit <sku>:credited
KEYS[3] buyers  hash  user → record, as purchase.lua writes it
for each order
ARGV[1] user  ARGV[2] order  ARGV[3] state  c: it was returned; e: it expired

Returns per order the first that applies:
  unknown-sale | unknown-order | repeated | credited

Keeps: an order is credited only while its line is in state a, which becomes the new one; ordered
never falls below zero; credited counts all units ever credited; a retired sale is not created
again. The ledger has recorded the order's end before this is called.
]]
local conf, stock, buyers = unpack(KEYS)
local STRIDE = 3
-- include mark

local is_known = redis.call('EXISTS', conf) == 1

-- The lines of an order, or nil if the stock does not contain what they took.
local function parse(lines)
  local parsed = {}
  for sku, quantity in string.gmatch(lines, '([^:,]+):(%d+)') do
    local ordered = redis.call('HGET', stock, sku .. ':ordered')
    if not ordered or tonumber(ordered) < tonumber(quantity) then
      return nil
    end
    parsed[#parsed + 1] = { sku = sku, quantity = quantity }
  end
  return parsed
end

local function credit(user, order, state)
  if not is_known then
    return 'unknown-sale'
  end
  local record, before, lines = marked(redis.call('HGET', buyers, user) or '', order, state)
  if not before then
    return 'unknown-order'
  end
  if before ~= 'a' then
    return 'repeated'
  end
  local parsed = parse(lines)
  if not parsed then
    return 'unknown-order'
  end

  for _, line in ipairs(parsed) do
    redis.call('HINCRBY', stock, line.sku .. ':ordered', '-' .. line.quantity)
    redis.call('HINCRBY', stock, line.sku .. ':credited', line.quantity)
  end
  redis.call('HSET', buyers, user, record)
  redis.call('HINCRBY', conf, 'changes', 1)
  return 'credited'
end

local replies = {}
for first = 1, #ARGV, STRIDE do
  replies[#replies + 1] = credit(ARGV[first], ARGV[first + 1], ARGV[first + 2])
end
return replies
