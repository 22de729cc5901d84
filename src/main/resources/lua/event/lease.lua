#!lua flags=allow-oom
--[[
Lease: take or renew the lease of a partition, or release it.

KEYS[1] lease  hash  holder, token, until
ARGV[1] holder
ARGV[2] ms  duration of the lease from now; 0 releases it

Returns the holder's token; 0 while another pod has the lease, and when it is released.

Keeps: no pod takes a lease that another one holds. Each change of hands raises the token, which
distinguishes the current holder from former ones. until is its end, in milliseconds of this Redis's
clock.
]]
local lease = KEYS[1]
local holder, ms = ARGV[1], tonumber(ARGV[2])

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local known, token, ends = unpack(redis.call('HMGET', lease, 'holder', 'token', 'until'))
if known ~= holder and (ms == 0 or tonumber(ends or 0) > now) then
  return 0
end
if known ~= holder then
  token = redis.call('HINCRBY', lease, 'token', 1)
end
redis.call('HSET', lease, 'holder', holder, 'until',
    string.format('%.0f', ms == 0 and 0 or now + ms))
return ms == 0 and 0 or tonumber(token)
