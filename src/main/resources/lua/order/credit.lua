#!lua flags=allow-oom
--[[
Credit: give the units of expired or returned orders of one sale back to its stock, each once.

KEYS[1] conf    hash  the sale's terms and state
KEYS[2] stock   hash  <sku>:total <sku>:ordered <sku>:limit <sku>:credited
KEYS[3] buyers  hash  "<user> <sku>" → units taken
KEYS[4] keys    hash  "<user> <key>" → state order placed_at pay_by digest lines lefts
for each order
ARGV[1] user  ARGV[2] key  ARGV[3] order

Returns per order the first that applies:
  unknown-sale | unknown-order | repeated | credited

Keeps: an order is credited only while its entry is in state a, which then becomes c; ordered never
falls below zero; credited counts what was ever given back; a sale whose keys have expired is not
created again. The ledger has recorded the order's end before this is called.
]]
local conf, stock, buyers, keys = unpack(KEYS)
local STRIDE = 3

local returns_limit = redis.call('HGET', conf, 'returns_limit')

-- The lines of an order, or nil when the stock does not hold what they took.
local function parse(lines)
  local parsed = {}
  for sku, quantity in string.gmatch(lines, '([^:,]+):(%d+)') do
    local ordered = redis.call('HGET', stock, sku .. ':ordered')
    if not ordered or tonumber(ordered) < tonumber(quantity) then
      return nil
    end
    parsed[#parsed + 1] = { sku = sku, quantity = tonumber(quantity) }
  end
  return parsed
end

local function credit(user, key, order)
  if not returns_limit then
    return 'unknown-sale'
  end
  local user_key = user .. ' ' .. key
  local entry = redis.call('HGET', keys, user_key)
  local state, known, rest = string.match(entry or '', '^(%a) (%S+) (.+)$')
  if known ~= order then
    return 'unknown-order'
  end
  if state ~= 'a' then
    return 'repeated'
  end
  local lines = string.match(rest, '^%d+ %d+ %S+ (%S+) %S+$')
  local parsed = lines and parse(lines)
  if not parsed then
    return 'unknown-order'
  end

  for _, line in ipairs(parsed) do
    redis.call('HINCRBY', stock, line.sku .. ':ordered', -line.quantity)
    redis.call('HINCRBY', stock, line.sku .. ':credited', line.quantity)
    local buyer = user .. ' ' .. line.sku
    if returns_limit == '1' and redis.call('HEXISTS', buyers, buyer) == 1
        and redis.call('HINCRBY', buyers, buyer, -line.quantity) <= 0 then
      redis.call('HDEL', buyers, buyer)
    end
  end
  redis.call('HSET', keys, user_key, 'c ' .. order .. ' ' .. rest)
  redis.call('HINCRBY', conf, 'changes', 1)
  return 'credited'
end

local replies = {}
for first = 1, #ARGV, STRIDE do
  replies[#replies + 1] = credit(ARGV[first], ARGV[first + 1], ARGV[first + 2])
end
return replies
