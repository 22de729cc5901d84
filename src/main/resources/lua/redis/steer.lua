#!lua flags=allow-oom
--[[
Steer: pause, resume or close a sale or rain. Repeating one changes nothing.

KEYS[1] conf  hash  its terms and state
ARGV[1] action   pause, resume or close
ARGV[2] unknown  what to reply where there is none: unknown-sale or unknown-rain

Returns the first that applies:
  unknown | closed | done

Keeps: what is closed stays closed; closing it again is done, pausing or resuming it is closed.
]]
local conf = KEYS[1]
local action, unknown = ARGV[1], ARGV[2]

local state = redis.call('HMGET', conf, 'paused', 'closed_at', 'closes_at')
if not state[1] then
  return unknown
end
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local closed_at, closes_at = tonumber(state[2]), tonumber(state[3])
if action ~= 'close' and (closed_at > 0 or (closes_at > 0 and now >= closes_at)) then
  return 'closed'
end

if action == 'close' then
  if closed_at == 0 then
    redis.call('HSET', conf, 'closed_at', string.format('%.0f', now))
    redis.call('HINCRBY', conf, 'changes', 1)
  end
else
  local wanted = action == 'pause' and '1' or '0'
  if state[1] ~= wanted then
    redis.call('HSET', conf, 'paused', wanted)
    redis.call('HINCRBY', conf, 'changes', 1)
  end
end
return 'done'
