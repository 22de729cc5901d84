#!lua flags=allow-oom
--[[
Steer: pause, resume or close a sale or rain, or one shard of a sale. Repeating one changes nothing.

KEYS[1] conf        hash  its terms and state
KEYS[2] unfinished  hash  what somebody is doing to several shards of a sale; only where it is noted
ARGV[1] deadline
ARGV[2] action   pause, resume or close
ARGV[3] unknown  what to reply where there is none: unknown-sale or unknown-rain
ARGV[4] version  of the change that this shard follows; - where the change is decided
ARGV[5] note     under which a change that other shards must follow is noted; - for none

Returns the first that applies:
  late | unknown | closed | done version

Keeps: what is closed stays closed; closing it again is done, pausing or resuming it is closed. A
shard follows no change that is older than one it has followed.
]]
local conf, unfinished = unpack(KEYS)
local deadline, action, unknown, version, note = unpack(ARGV)

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
if now > tonumber(deadline) then
  return 'late'
end

local state = redis.call('HMGET', conf, 'paused', 'closed_at', 'closes_at', 'control')
if not state[1] then
  return unknown
end
local closed_at, closes_at = tonumber(state[2]), tonumber(state[3])
if action ~= 'close' and (closed_at > 0 or (closes_at > 0 and now >= closes_at)) then
  return 'closed'
end
local control = tonumber(state[4] or 0)
local decides = version == '-'
if not decides and tonumber(version) < control then
  return string.format('done %.0f', control)
end

local wanted = action == 'pause' and '1' or '0'
local changes = action == 'close' and closed_at == 0 or action ~= 'close' and state[1] ~= wanted
-- The clock keeps a version above those that a failover has lost here, but not on other shards.
control = not decides and tonumber(version) or changes and math.max(control + 1, now) or control
if changes then
  if action == 'close' then
    redis.call('HSET', conf, 'closed_at', string.format('%.0f', now))
  else
    redis.call('HSET', conf, 'paused', wanted)
  end
  redis.call('HINCRBY', conf, 'changes', 1)
  if note ~= '-' then
    redis.call('HSET', unfinished, note, string.format('%.0f', control))
  end
end
redis.call('HSET', conf, 'control', string.format('%.0f', control))
return string.format('done %.0f', control)
