#!lua flags=allow-oom
--[[
Adjust: correct how many units of an item are ordered.

KEYS[1] conf   hash  the sale's terms and state
KEYS[2] stock  hash  <sku>:total <sku>:ordered <sku>:limit
KEYS[3] control  stream  changes for the ledger, each "id kind subject action version at actor
                        before after", and its cause; only where a ledger keeps them
ARGV[1] deadline  ARGV[2] sku  ARGV[3] units  to deduct; below zero: to give back
ARGV[4] excess  units given back that also leave the total, so that nobody can buy them
ARGV[5] change  "id kind subject" of this change; - where no ledger keeps changes
ARGV[6] actor   who makes it  ARGV[7] cause  why, in their words; empty for none

Returns the first that applies:
  late | not-loaded | adjusted units

Keeps: 0 <= ordered <= total; units is what could be corrected.
]]
local conf, stock, control = unpack(KEYS)
local deadline, sku = ARGV[1], ARGV[2]
local units, excess = tonumber(ARGV[3]), tonumber(ARGV[4])
local change, actor, cause = ARGV[5], ARGV[6], ARGV[7]

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
local total, ordered = tonumber(item[1]), tonumber(item[2])

local wanted = units < 0 and math.max(0, ordered + units)
    or math.max(ordered, math.min(total, ordered + units))
local leaving = math.min(excess, math.max(0, ordered - wanted))
redis.call('HSET', stock, sku .. ':ordered', string.format('%.0f', wanted),
    sku .. ':total', string.format('%.0f', total - leaving))
redis.call('HINCRBY', conf, 'changes', 1)
if wanted ~= ordered then
  keep('correct-ordered', '-', item[2], string.format('%.0f', wanted))
end
return string.format('adjusted %.0f', wanted - ordered)
