#!lua
--[[
Grab: take the next envelope of one rain for each of N requests, each at most once per idempotency
key.

KEYS[1] conf       hash    opens_at closes_at paused closed_at limit count granted granted_amount
KEYS[2] envelopes  list    amounts, next one at the head
KEYS[3] takers     hash    user → grabs, number of the first
KEYS[4] keys       hash    "<user> <key>" → nth
KEYS[5] grabs      hash    "<user> <nth>" → grab number amount at key
KEYS[6] board      zset    "<number> <user> <nth>", scored by −amount: the highest 100
KEYS[7] sums       zset    "<number of the first> <user>", scored by −sum
KEYS[8] stream     stream  per grab one entry of one field, grab →
                           "rain user key grab number nth amount at seq"
KEYS[9] seq        string  accepted purchases and grabs of the partition
ARGV[1] backlog_max  entries that may wait in the stream; 0: nothing enters it
ARGV[2] rain
then for each request
ARGV[1] deadline  ARGV[2] grab  ARGV[3] user  ARGV[4] key

Returns now, seq, then per request the first that applies:
  replayed grab nth number amount at | unavailable | unknown-rain | not-loaded | paused
  | not-open opens_at | closed | limit-reached limit taken | empty | backlogged
  | accepted grab nth number amount at | failed message

Keeps: granted + length of envelopes = count; one takers step, one keys entry, one grabs entry, one
stream entry and one step of seq per grab; a refused grab uses up nothing. Numbers run from 1 in the
order of handing out. Times are milliseconds of this Redis's clock.
]]
local conf, envelopes, takers, keys, grabs, board, sums, stream, seq = unpack(KEYS)
local backlog_max, rain = tonumber(ARGV[1]), ARGV[2]
local FIRST, STRIDE, BOARD_MAX = 3, 4, 100

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local now_text = string.format('%.0f', now)
local terms = redis.call('HMGET', conf, 'opens_at', 'closes_at', 'paused', 'closed_at', 'limit',
    'count', 'granted')
local known_rain = terms[1]
local opens_at, closes_at = tonumber(terms[1]), tonumber(terms[2])
local paused, closed_at = terms[3] == '1', tonumber(terms[4])
local limit, count, granted = tonumber(terms[5]), tonumber(terms[6]), tonumber(terms[7])
local loaded = known_rain and redis.call('LLEN', envelopes) == count - granted
local backlog
local ranked = false

-- What was granted under this key before, or nil.
local function earlier(user, key)
  local nth = redis.call('HGET', keys, user .. ' ' .. key)
  if not nth then
    return nil
  end
  local entry = redis.call('HGET', grabs, user .. ' ' .. nth)
  local grab, number, amount, at = string.match(entry, '^(%S+) (%d+) (%d+) (%d+)')
  return table.concat({ 'replayed', grab, nth, number, amount, at }, ' ')
end

local function rain_refusal()
  if not known_rain then
    return 'unknown-rain'
  end
  if not loaded then
    return 'not-loaded'
  end
  if paused then
    return 'paused'
  end
  if now < opens_at then
    return 'not-open ' .. terms[1]
  end
  if closed_at > 0 or (closes_at > 0 and now >= closes_at) then
    return 'closed'
  end
end

local function envelope_refusal(taken)
  if taken >= limit then
    return string.format('limit-reached %d %d', limit, taken)
  end
  if granted >= count then
    return 'empty'
  end
  if backlog_max > 0 then
    backlog = backlog or redis.call('XLEN', stream)
    if backlog >= backlog_max then
      return 'backlogged'
    end
  end
end

-- Amounts stay texts throughout: they reach 2^53, where Lua would print them rounded.
local function take(grab, user, key, taken, first_number)
  local amount = redis.call('LPOP', envelopes)
  granted = redis.call('HINCRBY', conf, 'granted', 1)
  redis.call('HINCRBY', conf, 'granted_amount', amount)
  local nth, number = string.format('%d', taken + 1), string.format('%d', granted)
  first_number = first_number or number
  redis.call('HSET', takers, user, nth .. ' ' .. first_number)
  redis.call('HSET', keys, user .. ' ' .. key, nth)
  redis.call('HSET', grabs, user .. ' ' .. nth,
      table.concat({ grab, number, amount, now_text, key }, ' '))
  redis.call('ZADD', board, '-' .. amount, string.format('%012d %s %s', granted, user, nth))
  redis.call('ZINCRBY', sums, '-' .. amount, string.format('%012d %s', first_number, user))
  ranked = true
  local number_of_all = redis.call('INCR', seq)
  if backlog_max > 0 then
    redis.call('XADD', stream, '*', 'grab', table.concat({ rain, user, key, grab, number, nth,
        amount, now_text, string.format('%.0f', number_of_all) }, ' '))
    backlog = backlog + 1
  end
  return table.concat({ 'accepted', grab, nth, number, amount, now_text }, ' ')
end

local function grab_one(first)
  local deadline, grab, user, key = unpack(ARGV, first, first + STRIDE - 1)
  -- A grab without a key of the client's is kept under its new id: nothing to look up.
  local reply = key ~= grab and earlier(user, key) or nil
  if reply then
    return reply
  end
  if now > tonumber(deadline) then
    return 'unavailable'
  end
  reply = rain_refusal()
  if reply then
    return reply
  end
  local taken, first_number = string.match(redis.call('HGET', takers, user) or '0', '^(%d+) ?(%d*)')
  taken = tonumber(taken)
  reply = envelope_refusal(taken)
  if reply then
    return reply
  end
  return take(grab, user, key, taken, taken > 0 and first_number or nil)
end

local replies = { now, 0 }
for first = FIRST, #ARGV, STRIDE do
  -- One request that meets a defect must not fail its neighbours.
  local fine, reply = pcall(grab_one, first)
  if not fine then
    reply = 'failed ' .. (type(reply) == 'table' and reply.err or tostring(reply))
  end
  replies[#replies + 1] = reply
end
if ranked then
  redis.call('ZREMRANGEBYRANK', board, BOARD_MAX, -1)
end
replies[2] = tonumber(redis.call('GET', seq) or 0)
return replies
