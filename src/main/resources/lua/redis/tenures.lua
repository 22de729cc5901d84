#!lua flags=allow-oom
--[[
Tenures: record which Redis process serves this partition now, and return the latest ones.

KEYS[1] seq      string  accepted purchases and grabs of the partition
KEYS[2] tenures  list    "run_id low begun_ms" of the latest 64, the current one last

Returns the tenures, oldest first; none where Redis does not report its run id.

Keeps: a tenure's low is the partition's number at the process's first check-in. Every pod checks in
before it buys, so the process gives out only higher numbers, and numbers of earlier tenures above
the next one's low are lost.
]]
local seq, tenures = unpack(KEYS)

local info = redis.pcall('INFO', 'server')
local run_id = type(info) == 'string' and string.match(info, 'run_id:(%w+)')
if not run_id then
  return {}
end
local last = redis.call('LRANGE', tenures, -1, -1)[1]
if not last or string.match(last, '^%w+') ~= run_id then
  local time = redis.call('TIME')
  local tenure = string.format('%s %d %d', run_id, redis.call('GET', seq) or 0,
    time[1] * 1000 + math.floor(time[2] / 1000))
  if redis.call('RPUSH', tenures, tenure) > 64 then
    redis.call('LPOP', tenures)
  end
end
return redis.call('LRANGE', tenures, 0, -1)
