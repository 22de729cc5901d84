#!lua flags=allow-oom
--[[
Total: bring an item's total in line with the ledger's, never below what is ordered.

KEYS[1] conf   hash  the sale's terms and state
KEYS[2] stock  hash  <sku>:total <sku>:ordered <sku>:version <sku>:whole
ARGV[1] deadline  ARGV[2] sku  ARGV[3] units  to add; below zero: to take away
ARGV[4] version  of the ledger's
ARGV[5] whole  total of all shards, kept by the first; - where there is nothing to keep

Returns the first that applies:
  late | not-loaded | adjusted units

Keeps: ordered <= total; units is what could be done.
]]
local conf, stock = unpack(KEYS)
local deadline, sku, units, version, whole = unpack(ARGV)

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
if now > tonumber(deadline) then
  return 'late'
end

local item = redis.call('HMGET', stock, sku .. ':total', sku .. ':ordered')
if not item[2] or redis.call('EXISTS', conf) == 0 then
  return 'not-loaded'
end
local total = tonumber(item[1])
local wanted = math.max(total + tonumber(units), tonumber(item[2]))
redis.call('HSET', stock, sku .. ':total', string.format('%.0f', wanted),
    sku .. ':version', version)
if whole ~= '-' then
  redis.call('HSET', stock, sku .. ':whole', whole)
end
redis.call('HINCRBY', conf, 'changes', 1)
return string.format('adjusted %.0f', wanted - total)
