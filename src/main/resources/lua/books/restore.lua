#!lua
--[[
Restore: write again what Redis lost of orders that the ledger has, each once.

KEYS[1] conf    hash  the sale's terms and state
KEYS[2] stock   hash  <sku>:total <sku>:ordered <sku>:limit <sku>:credited
KEYS[3] buyers  hash  "<user> <sku>" → units taken
KEYS[4] keys    hash  "<user> <key>" → state order placed_at pay_by digest lines lefts
then for each order
ARGV[1] state  a: its units are taken; c: they were given back
ARGV[2] user  ARGV[3] key  ARGV[4] order  ARGV[5] placed_at  ARGV[6] pay_by  ARGV[7] digest
ARGV[8] lines  ARGV[9] lefts

Returns per order the first that applies:
  not-loaded | repeated a | repeated c | key-reused | restored short

Keeps: ordered <= total of every sku: short is what of the order could not be deducted again,
because others have it, as sku:units,sku:units; - for nothing. An order is missing only if what it
took was lost with it.
]]
local conf, stock, buyers, keys = unpack(KEYS)
local STRIDE = 9

local loaded = redis.call('EXISTS', conf, stock) == 2
    and redis.call('HEXISTS', conf, 'loading') == 0
local returns_limit = redis.call('HGET', conf, 'returns_limit')

-- Takes units again as far as they are there. Returns how many are not.
local function take(user, sku, quantity)
  local item = redis.call('HMGET', stock, sku .. ':total', sku .. ':ordered', sku .. ':limit')
  if not item[1] then
    return quantity
  end
  local taken = math.min(quantity, tonumber(item[1]) - tonumber(item[2]))
  redis.call('HINCRBY', stock, sku .. ':ordered', taken)
  return quantity - taken
end

local function restore(state, user, key, order, placed_at, pay_by, digest, lines, lefts)
  if not loaded then
    return 'not-loaded'
  end
  local user_key = user .. ' ' .. key
  local entry = redis.call('HGET', keys, user_key)
  if entry then
    local known_state, known = string.match(entry, '^(%a) (%S+)')
    return known == order and 'repeated ' .. known_state or 'key-reused'
  end

  local short = {}
  for sku, quantity in string.gmatch(lines, '([^:,]+):(%d+)') do
    quantity = tonumber(quantity)
    if state == 'a' then
      local missing = take(user, sku, quantity)
      if missing > 0 then
        short[#short + 1] = sku .. ':' .. string.format('%.0f', missing)
      end
    else
      redis.call('HINCRBY', stock, sku .. ':credited', quantity)
    end
    local limit = tonumber(redis.call('HGET', stock, sku .. ':limit') or 0)
    if limit > 0 and (state == 'a' or returns_limit ~= '1') then
      redis.call('HINCRBY', buyers, user .. ' ' .. sku, quantity)
    end
  end
  redis.call('HSET', keys, user_key,
      table.concat({ state, order, placed_at, pay_by, digest, lines, lefts }, ' '))
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
