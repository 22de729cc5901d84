#!lua
--[[
Clear: close what is left of a sale that Redis lost in part, so that it can be rebuilt.

KEYS[1] conf    hash  the sale's terms and state
KEYS[2] stock   hash  <sku>:total <sku>:ordered <sku>:limit
KEYS[3] buyers  hash  "<user> <sku>" → units taken
KEYS[4] keys    hash  "<user> <key>" → the accepted purchase

Returns the first that applies:
  loaded | cleared

Keeps: a sale that is whole stays as it is; without stock nobody can buy.
]]
local conf, stock, buyers, keys = unpack(KEYS)

local counters = redis.call('HGETALL', stock)
local whole = #counters > 0 and redis.call('EXISTS', conf) == 1
for i = 1, #counters, 2 do
  if string.find(counters[i], ':ordered$') and tonumber(counters[i + 1]) > 0
      and redis.call('EXISTS', keys) == 0 then
    whole = false
  end
end
if whole then
  return 'loaded'
end

redis.call('UNLINK', stock, buyers, keys)
return 'cleared'
