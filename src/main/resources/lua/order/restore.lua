#!lua
--[[
Restore: rewrite orders that the ledger has and Redis lost, each once.

KEYS[1] conf    hash  the sale's terms and state
KEYS[2] stock   hash  <sku>:total <sku>:ordered <sku>:limit <sku>:credited
KEYS[3] buyers  hash  user → record, as purchase.lua writes it
then for each order
ARGV[1] user  ARGV[2] order  ARGV[3] key  "" for none  ARGV[4] lines
ARGV[5] state  a: its units are taken; c or e: they were credited
ARGV[6] line   of the order in the record

Returns per order the first that applies:
  not-loaded | repeated state | key-reused | restored short

Keeps: ordered <= total of every sku: short lists the units that could not be deducted again,
because others have them, as sku:units,sku:units; - for none. An order is missing only if what it
took was lost with it.
]]
local conf, stock, buyers = unpack(KEYS)
local STRIDE = 6
-- include record
-- include lost

local loaded = redis.call('EXISTS', conf, stock) == 2
    and redis.call('HEXISTS', conf, 'loading') == 0 and not are_buyers_lost(stock, buyers)

-- Takes units again, as far as any are left. Returns how many are missing.
local function take(sku, quantity)
  local item = redis.call('HMGET', stock, sku .. ':total', sku .. ':ordered')
  if not item[1] then
    return quantity
  end
  local taken = math.min(quantity, tonumber(item[1]) - tonumber(item[2]))
  redis.call('HINCRBY', stock, sku .. ':ordered', taken)
  return quantity - taken
end

local function restore(user, order, key, lines, state, line)
  if not loaded then
    return 'not-loaded'
  end
  local record = redis.call('HGET', buyers, user) or ''
  local orders, refused = parse(record)
  for i = 1, #orders do
    if orders[i].order == order then
      return 'repeated ' .. orders[i].state
    end
    if orders[i].key == key and key ~= '' or orders[i].key == '' and orders[i].order == key then
      return 'key-reused'
    end
  end
  if refused[key] then
    return 'key-reused'
  end

  local short = {}
  for sku, quantity in string.gmatch(lines, '([^:,]+):(%d+)') do
    if state == 'a' then
      local missing = take(sku, tonumber(quantity))
      if missing > 0 then
        short[#short + 1] = sku .. ':' .. string.format('%.0f', missing)
      end
    else
      redis.call('HINCRBY', stock, sku .. ':credited', quantity)
    end
  end
  redis.call('HSET', buyers, user, record .. line .. '\n')
  return 'restored ' .. (#short > 0 and table.concat(short, ',') or '-')
end

local replies = {}
for first = 1, #ARGV, STRIDE do
  replies[#replies + 1] = restore(unpack(ARGV, first, first + STRIDE - 1))
end
if loaded then
  redis.call('HINCRBY', conf, 'changes', 1)
end
return replies
