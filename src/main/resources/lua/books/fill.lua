#!lua
--[[
Fill: put keys and buyers of a cleared sale in place again, part by part.

KEYS[1] stock   hash  <sku>:total <sku>:ordered <sku>:limit
KEYS[2] buyers  hash  "<user> <sku>" → units taken
KEYS[3] keys    hash  "<user> <key>" → state order placed_at pay_by digest lines lefts, or t
for each entry
ARGV[1] user_key  ARGV[2] entry  ARGV[3] held  sku:units,… of limited items; empty for none

Returns the first that applies:
  loaded | filled

Keeps: a sale that has stock is left alone; of two entries for one key the first stays.
]]
local stock, buyers, keys = unpack(KEYS)
local STRIDE = 3

if redis.call('EXISTS', stock) == 1 then
  return 'loaded'
end

for first = 1, #ARGV, STRIDE do
  local user_key, entry, held = unpack(ARGV, first, first + STRIDE - 1)
  redis.call('HSETNX', keys, user_key, entry)
  local user = string.match(user_key, '^%S+')
  for sku, units in string.gmatch(held, '([^:,]+):(%d+)') do
    redis.call('HINCRBY', buyers, user .. ' ' .. sku, units)
  end
end
return 'filled'
