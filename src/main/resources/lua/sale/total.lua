#!lua flags=allow-oom
--[[
Total: raise or lower an item's total, never below the ordered units.

KEYS[1] conf   hash  the sale's terms and state
KEYS[2] stock  hash  <sku>:total <sku>:ordered <sku>:limit <sku>:version <sku>:whole
KEYS[3] control  stream  changes for the ledger, each "id kind subject action version at actor
                        before after", and its cause; only where a ledger keeps them
ARGV[1] deadline  ARGV[2] sku  ARGV[3] total
ARGV[4] version  of this change; 0 without a ledger
ARGV[5] change  "id kind subject" of this change; - where no ledger keeps changes
ARGV[6] actor   who makes it  ARGV[7] cause  why, in their words; empty for none

Returns the first that applies:
  late | unknown-sale | not-loaded | unknown-item sku | overtaken
  | below-ordered sku ordered needed | done

Keeps: ordered <= total; a change is never undone by one that began before it. In a sale with shards
this is the first one, which takes the whole change: whole is the total of all shards, and needed
is how many free units this shard must have before the total can be lowered this far.
]]
local conf, stock, control = unpack(KEYS)
local deadline, sku, total, version = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
local change, actor, cause = ARGV[5], ARGV[6], ARGV[7]

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
if now > tonumber(deadline) then
  return 'late'
end
-- include control
if redis.call('EXISTS', conf) == 0 then
  return 'unknown-sale'
end
local item = redis.call('HMGET', stock, sku .. ':ordered', sku .. ':version', sku .. ':total',
    sku .. ':whole')
local ordered = item[1]
if not ordered then
  return redis.call('EXISTS', stock) == 0 and 'not-loaded' or 'unknown-item ' .. sku
end
if version > 0 and tonumber(item[2] or 0) >= version then
  return 'overtaken'
end
local before = item[4] or item[3]
local units = tonumber(total) - tonumber(before)
if tonumber(item[3]) + units < tonumber(ordered) then
  return string.format('below-ordered %s %s %.0f', sku, ordered, -units)
end

if version > 0 then
  redis.call('HSET', stock, sku .. ':version', version)
end
if units ~= 0 then
  redis.call('HINCRBY', stock, sku .. ':total', string.format('%.0f', units))
  if item[4] then
    redis.call('HSET', stock, sku .. ':whole', total)
  end
  redis.call('HINCRBY', conf, 'changes', 1)
  keep('total', ARGV[4], before, total)
end
return 'done'
