#!lua flags=allow-oom
--[[
Total: bring an item's total in line with the ledger's, never below the ordered units.

KEYS[1] conf   hash  the sale's terms and state
KEYS[2] stock  hash  <sku>:total <sku>:ordered <sku>:version <sku>:whole
KEYS[3] control  stream  changes for the ledger, each "id kind subject action version at actor
                        before after", and its cause; only where a ledger keeps them
ARGV[1] deadline  ARGV[2] sku  ARGV[3] units  to add; below zero: to take away
ARGV[4] version  of the ledger's
ARGV[5] whole  total of all shards, kept by the first; - for none
ARGV[6] change  "id kind subject" of this change; - where no ledger keeps changes
ARGV[7] actor   who makes it  ARGV[8] cause  why, in their words; empty for none

Returns the first that applies:
  late | not-loaded | adjusted units

Keeps: ordered <= total; units is what could be corrected.
]]
local conf, stock, control = unpack(KEYS)
local deadline, sku, units, version, whole, change, actor, cause = unpack(ARGV)

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
if now > tonumber(deadline) then
  return 'late'
end
-- include control

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
if wanted ~= total then
  keep('correct-total', version, item[1], string.format('%.0f', wanted))
end
return string.format('adjusted %.0f', wanted - total)
