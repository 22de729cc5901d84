#!lua flags=allow-oom
--[[
Control: pause, resume or close a sale or rain, or one shard of a sale. Repeating it
changes nothing.

KEYS[1] conf        hash  its terms and state
KEYS[2] unfinished  hash  changes that other shards must still follow; only with a note
KEYS[3] control     stream  changes for the ledger, each "id kind subject action version at actor
                           before after", and its cause; only where a ledger keeps them
ARGV[1] deadline
ARGV[2] action   pause, resume or close
ARGV[3] unknown  the reply if it does not exist: unknown-sale or unknown-rain
ARGV[4] version  of the change that this shard follows; - where the change is decided
ARGV[5] note     under which a change that other shards must follow is noted; - for none
ARGV[6] change  "id kind subject" of this change; - where no ledger keeps changes
ARGV[7] actor   who makes it  ARGV[8] cause  why, in their words; empty for none

Returns the first that applies:
  late | unknown | closed | done version

Keeps: closed is final; closing again is done, pausing or resuming a closed one is closed. A shard
ignores changes older than the last one that it followed. Where a change is decided, the ledger
receives it if it has an effect.
]]
local conf, unfinished, control = unpack(KEYS)
local deadline, action, unknown, version, note, change, actor, cause = unpack(ARGV)

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
if now > tonumber(deadline) then
  return 'late'
end
-- include control

local state = redis.call('HMGET', conf, 'paused', 'closed_at', 'closes_at', 'control',
    'schedule')
if not state[1] then
  return unknown
end
local closed_at, closes_at = tonumber(state[2]), tonumber(state[3])
if action ~= 'close' and (closed_at > 0 or (closes_at > 0 and now >= closes_at)) then
  return 'closed'
end
local latest = tonumber(state[4] or 0)
local decides = version == '-'
if not decides and tonumber(version) < latest then
  return string.format('done %.0f', latest)
end

local wanted = action == 'pause' and '1' or '0'
local changes = action == 'close' and closed_at == 0 or action ~= 'close' and state[1] ~= wanted
-- The clock keeps a version above those that a failover lost here but other shards have followed.
-- This and reschedule.lua share one number, by which the ledger orders their changes.
latest = not decides and tonumber(version)
    or changes and math.max(latest + 1, tonumber(state[5] or 0) + 1, now) or latest
local number = string.format('%.0f', latest)
if changes then
  if action == 'close' then
    redis.call('HSET', conf, 'closed_at', string.format('%.0f', now))
  else
    redis.call('HSET', conf, 'paused', wanted)
  end
  redis.call('HINCRBY', conf, 'changes', 1)
  if note ~= '-' then
    redis.call('HSET', unfinished, note, number)
  end
  if decides then
    keep(action, number, action == 'close' and state[2] or state[1],
        action == 'close' and string.format('%.0f', now) or wanted)
  end
end
redis.call('HSET', conf, 'control', number)
return 'done ' .. number
