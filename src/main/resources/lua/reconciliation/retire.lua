#!lua flags=allow-oom
--[[
Retire: remove all keys of a sale or rain that is over, at once.

KEYS[1] conf    hash    its terms and state
KEYS[2] index   zset    the partition's sales or rains, scored by when they were prepared
KEYS[3] stream  stream  accepted orders and grabs of the partition
KEYS[4] seq     string  accepted purchases and grabs of the partition
then all its other keys
ARGV[1] id

Returns the first that applies:
  open | waiting | retired

Keeps: nothing that is open, or of which an order may be queued, is removed. When it is first found
over, the partition's current number is stored; no later number belongs to it. Once the stream's
head has passed that number, nothing of it is queued. Retiring again changes nothing.
]]
local conf, index, stream, seq = unpack(KEYS)
local id = ARGV[1]
-- include head

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local terms = redis.call('HMGET', conf, 'closed_at', 'closes_at', 'last_number')
if terms[1] and terms[1] == '0' and (terms[2] == '0' or now < tonumber(terms[2])) then
  return 'open'
end
local first = first_waiting(stream)
local last = terms[3] or redis.call('GET', seq) or '0'
if terms[1] and first and first <= tonumber(last) then
  redis.call('HSET', conf, 'last_number', last)
  return 'waiting'
end

redis.call('ZREM', index, id)
for i, key in ipairs(KEYS) do
  if i == 1 or i > 4 then
    redis.call('UNLINK', key)
  end
end
return 'retired'
