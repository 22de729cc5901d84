#!lua flags=allow-oom
--[[
Epochs: note that another Redis process serves this partition now, and tell which ones did.

KEYS[1] seq     string  accepted purchases and grabs of the partition
KEYS[2] epochs  list    "server low at_ms" of the latest 64, the present one last

Returns the epochs, oldest first; none where Redis does not tell its run id.

Keeps: low is the partition's number before the first order that anybody who called this first had
from that process, so higher ones of earlier epochs are lost.
]]
local seq, epochs = unpack(KEYS)

local info = redis.pcall('INFO', 'server')
local server = type(info) == 'string' and string.match(info, 'run_id:(%w+)')
if not server then
  return {}
end
local last = redis.call('LRANGE', epochs, -1, -1)[1]
if not last or string.match(last, '^%w+') ~= server then
  local time = redis.call('TIME')
  local epoch = string.format('%s %d %d', server, redis.call('GET', seq) or 0,
    time[1] * 1000 + math.floor(time[2] / 1000))
  if redis.call('RPUSH', epochs, epoch) > 64 then
    redis.call('LPOP', epochs)
  end
end
return redis.call('LRANGE', epochs, 0, -1)
