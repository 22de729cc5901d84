#!lua
--[[
Reschedule: change the title and times of a sale, or of one shard of it.

KEYS[1] conf        hash  the sale's terms and state
KEYS[2] unfinished  hash  changes that other shards must still follow; only with a note
KEYS[3] control     stream  changes for the ledger, each "id kind subject action version at actor
                           before after", and its cause; only where a ledger keeps them
ARGV[1] deadline
ARGV[2] definition  the new one  ARGV[3] opens_at  ARGV[4] closes_at  as it has them
ARGV[5] earlier  the definition that it is based on, where the change is decided
ARGV[6] version  of the change that this shard follows; - where the change is decided
ARGV[7] note     under which a change that other shards must follow is noted; - for none
ARGV[8] change  "id kind subject" of this change; - where no ledger keeps changes
ARGV[9] actor   who makes it  ARGV[10] cause  why, in their words; empty for none

Returns the first that applies:
  late | unknown-sale | not-loaded | closed | past | overtaken | done version

Keeps: closed is final, and no sale ends in the past. A change must be based on the current
definition, so neither of two concurrent ones is lost. A shard ignores changes older than the last
one that it followed. Where a change is decided, the ledger receives it if it has an effect.
]]
local conf, unfinished, control = unpack(KEYS)
local deadline, definition, opens_at, closes_at, earlier, version, note, change, actor, cause =
    unpack(ARGV)

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
if now > tonumber(deadline) then
  return 'late'
end
-- include control

local state = redis.call('HMGET', conf, 'definition', 'closes_at', 'closed_at', 'loading',
    'schedule', 'control')
if not state[1] then
  return 'unknown-sale'
end
local latest = tonumber(state[5] or 0)
local decides = version == '-'
if decides then
  if state[4] then
    return 'not-loaded'
  end
  if state[3] ~= '0' or (state[2] ~= '0' and now >= tonumber(state[2])) then
    return 'closed'
  end
  if closes_at ~= '0' and now >= tonumber(closes_at) then
    return 'past'
  end
  if state[1] ~= earlier then
    return 'overtaken'
  end
  -- This and control.lua share one number, by which the ledger orders their changes.
  latest = definition ~= earlier and math.max(latest + 1, tonumber(state[6] or 0) + 1, now)
      or latest
elseif tonumber(version) < latest then
  return string.format('done %.0f', latest)
else
  latest = tonumber(version)
end

local number = string.format('%.0f', latest)
if definition ~= state[1] then
  redis.call('HSET', conf, 'definition', definition, 'opens_at', opens_at, 'closes_at', closes_at)
  redis.call('HINCRBY', conf, 'changes', 1)
  if note ~= '-' then
    redis.call('HSET', unfinished, note, number)
  end
  if decides then
    keep('reschedule', number, state[2], closes_at, definition)
  end
end
redis.call('HSET', conf, 'schedule', number)
return 'done ' .. number
