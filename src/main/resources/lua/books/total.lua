#!lua
--[[
Total: bring an item's total in line with the ledger's, never below what is ordered.

KEYS[1] conf   hash  the sale's terms and state
KEYS[2] stock  hash  <sku>:total <sku>:ordered <sku>:version
ARGV[1] sku  ARGV[2] total  ARGV[3] version  of the ledger's

Returns the first that applies:
  not-loaded | adjusted total

Keeps: ordered <= total.
]]
local conf, stock = unpack(KEYS)
local sku, total, version = ARGV[1], tonumber(ARGV[2]), ARGV[3]

local ordered = redis.call('HGET', stock, sku .. ':ordered')
if not ordered or redis.call('EXISTS', conf) == 0 then
  return 'not-loaded'
end
local wanted = string.format('%.0f', math.max(total, tonumber(ordered)))
redis.call('HSET', stock, sku .. ':total', wanted, sku .. ':version', version)
redis.call('HINCRBY', conf, 'changes', 1)
return 'adjusted ' .. wanted
