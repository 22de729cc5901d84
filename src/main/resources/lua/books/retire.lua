#!lua flags=allow-oom
--[[
Retire: remove all keys of a sale or rain that is over, at once.

KEYS[1] conf    hash  its terms and state
KEYS[2] orders  hash  orders that the ledger may not have yet
KEYS[3] index   zset  the partition's sales or rains, scored by when they were prepared
then all its other keys
ARGV[1] id

Returns the first that applies:
  open | waiting | retired

Keeps: nothing of what is open, or of which an order waits, is removed. Retiring again changes
nothing.
]]
local conf, orders, index = unpack(KEYS)
local id = ARGV[1]

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local terms = redis.call('HMGET', conf, 'closed_at', 'closes_at')
if terms[1] and terms[1] == '0' and (terms[2] == '0' or now < tonumber(terms[2])) then
  return 'open'
end
if redis.call('HLEN', orders) > redis.call('HEXISTS', orders, '') then
  return 'waiting'
end

redis.call('ZREM', index, id)
for i, key in ipairs(KEYS) do
  if i ~= 3 then
    redis.call('UNLINK', key)
  end
end
return 'retired'
