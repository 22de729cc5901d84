#!lua flags=allow-oom
--[[
Tenures: record which Redis process serves this partition now, and return those that did.

KEYS[1] seq      string  accepted purchases and grabs of the partition
KEYS[2] tenures  list    "server low begun_ms" of the latest 64, the present one last

Returns the tenures, oldest first; none where Redis does not report its run id.

Keeps: low is the partition's number before the first order that the process granted to anyone who
called this before buying, so higher numbers of earlier tenures are lost.
]]
local seq, tenures = unpack(KEYS)

local info = redis.pcall('INFO', 'server')
local server = type(info) == 'string' and string.match(info, 'run_id:(%w+)')
if not server then
  return {}
end
local last = redis.call('LRANGE', tenures, -1, -1)[1]
if not last or string.match(last, '^%w+') ~= server then
  local time = redis.call('TIME')
  local tenure = string.format('%s %d %d', server, redis.call('GET', seq) or 0,
    time[1] * 1000 + math.floor(time[2] / 1000))
  if redis.call('RPUSH', tenures, tenure) > 64 then
    redis.call('LPOP', tenures)
  end
end
return redis.call('LRANGE', tenures, 0, -1)
