#!lua
--[[
Total: raise or lower an item's total, never below what is ordered.

KEYS[1] conf   hash  the sale's terms and state
KEYS[2] stock  hash  <sku>:total <sku>:ordered <sku>:limit
ARGV[1] sku  ARGV[2] total

Returns the first that applies:
  unknown-sale | not-loaded | unknown-item sku | below-ordered sku ordered | done

Keeps: ordered <= total.
]]
local conf, stock = unpack(KEYS)
local sku, total = ARGV[1], ARGV[2]

if redis.call('EXISTS', conf) == 0 then
  return 'unknown-sale'
end
local ordered = redis.call('HGET', stock, sku .. ':ordered')
if not ordered then
  return redis.call('EXISTS', stock) == 0 and 'not-loaded' or 'unknown-item ' .. sku
end
if tonumber(total) < tonumber(ordered) then
  return 'below-ordered ' .. sku .. ' ' .. ordered
end

if redis.call('HGET', stock, sku .. ':total') ~= total then
  redis.call('HSET', stock, sku .. ':total', total)
  redis.call('HINCRBY', conf, 'changes', 1)
end
return 'done'
