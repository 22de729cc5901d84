#!lua
--[[
Grab: take the next envelope of one rain for each of N requests, each at most once per idempotency
key.

KEYS[1] conf       hash    opens_at closes_at paused closed_at limit count granted granted_amount
KEYS[2] envelopes  list    amounts, next one at the head; the last element is none
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

Keeps: granted + length of envelopes − 1 = count; one takers step, one keys entry, one grabs entry,
one stream entry and one step of seq per grab; a refused grab uses up nothing. Numbers run from 1 in
the order of handing out. Times are milliseconds of this Redis's clock.
]]
local conf, envelopes, takers, keys, grabs, board, sums, stream, seq = unpack(KEYS)
local backlog_max, rain = tonumber(ARGV[1]), ARGV[2]
local FIRST, STRIDE, BOARD_MAX = 3, 4, 100
-- Looked up once: a crowd's call runs what follows 128 times.
local ARGV, call, format, unpack = ARGV, redis.call, string.format, unpack

local time = call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local now_text = format('%.0f', now)
local terms = call('HMGET', conf, 'opens_at', 'closes_at', 'paused', 'closed_at', 'limit', 'count',
    'granted')
local known_rain = terms[1]
local opens_at, closes_at = tonumber(terms[1]), tonumber(terms[2])
local paused, closed_at = terms[3] == '1', tonumber(terms[4])
local limit, count, granted = tonumber(terms[5]), tonumber(terms[6]), tonumber(terms[7])
local loaded = known_rain and call('LLEN', envelopes) == count - granted + 1
local number_of_all = tonumber(call('GET', seq)) or 0
local backlog

-- The next envelopes, as many as this call could hand out, and what it has handed out of them.
-- Amounts stay texts throughout, as they reach 2^53, where Lua would print them rounded.
local amounts, handed, handed_amount
-- What this call grants, written at its end in one command per key: a command costs more than what
-- it writes. Until then its requests see each other in `had`, `nths` and `granted_as`.
local had, nths, granted_as = {}, {}, {}
local entries = {}
local to_takers, to_keys, to_grabs, to_board, to_sums, more_sums = {}, {}, {}, {}, {}, {}

-- What was granted under this key before, or nil.
local function earlier(user, key)
  local user_key = user .. ' ' .. key
  local nth = nths[user_key] or call('HGET', keys, user_key)
  if not nth then
    return nil
  end
  local user_nth = user .. ' ' .. nth
  local entry = granted_as[user_nth] or call('HGET', grabs, user_nth)
  local grab, number, amount, at = string.match(entry, '^(%S+) (%d+) (%d+) (%d+)')
  return 'replayed ' .. grab .. ' ' .. nth .. ' ' .. number .. ' ' .. amount .. ' ' .. at
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
    return format('limit-reached %d %d', limit, taken)
  end
  if granted >= count then
    return 'empty'
  end
  if backlog_max > 0 then
    backlog = backlog or call('XLEN', stream)
    if backlog + #entries >= backlog_max then
      return 'backlogged'
    end
  end
end

-- How many envelopes a user has, and the number of the first as text, nil for none.
local function takings(user)
  local known = had[user]
  if not known then
    local taken, first = string.match(call('HGET', takers, user) or '0', '^(%d+) ?(%d*)')
    known = { taken = tonumber(taken), first = taken ~= '0' and first or nil }
    had[user] = known
  end
  return known
end

local function next_amount()
  if not amounts then
    amounts = call('LRANGE', envelopes, 0, (#ARGV - FIRST + 1) / STRIDE - 1)
    handed, handed_amount = 0, 0
  end
  return amounts[handed + 1]
end

local function add(list, name, value)
  local size = #list
  list[size + 1], list[size + 2] = name, value
end

-- From here on nothing of a request can fail: it only notes what is to be written.
local function take(grab, user, key, known, amount)
  handed, handed_amount, granted = handed + 1, handed_amount + tonumber(amount), granted + 1
  number_of_all = number_of_all + 1
  known.taken = known.taken + 1
  local nth, number = format('%d', known.taken), format('%d', granted)
  local is_first = not known.first
  known.first = known.first or number
  local user_nth = user .. ' ' .. nth
  nths[user .. ' ' .. key] = nth
  granted_as[user_nth] = grab .. ' ' .. number .. ' ' .. amount .. ' ' .. now_text .. ' ' .. key
  add(to_takers, user, nth .. ' ' .. known.first)
  add(to_keys, user .. ' ' .. key, nth)
  add(to_grabs, user_nth, granted_as[user_nth])
  add(to_board, '-' .. amount, format('%012d ', granted) .. user_nth)
  add(is_first and to_sums or more_sums, '-' .. amount, format('%012d ', known.first) .. user)
  entries[#entries + 1] = rain .. ' ' .. user .. ' ' .. key .. ' ' .. grab .. ' ' .. number .. ' '
      .. nth .. ' ' .. amount .. ' ' .. now_text .. ' ' .. format('%d', number_of_all)
  return 'accepted ' .. grab .. ' ' .. nth .. ' ' .. number .. ' ' .. amount .. ' ' .. now_text
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
  local known = takings(user)
  reply = envelope_refusal(known.taken)
  if reply then
    return reply
  end
  return take(grab, user, key, known, next_amount())
end

local function write()
  call('LPOP', envelopes, handed)
  call('HINCRBY', conf, 'granted', handed)
  call('HINCRBY', conf, 'granted_amount', format('%.0f', handed_amount))
  call('HSET', takers, unpack(to_takers))
  call('HSET', keys, unpack(to_keys))
  call('HSET', grabs, unpack(to_grabs))
  call('ZADD', board, unpack(to_board))
  call('ZREMRANGEBYRANK', board, BOARD_MAX, -1)
  if #to_sums > 0 then
    call('ZADD', sums, unpack(to_sums))
  end
  for i = 1, #more_sums, 2 do
    call('ZINCRBY', sums, more_sums[i], more_sums[i + 1])
  end
  call('INCRBY', seq, handed)
  if backlog_max > 0 then
    for i = 1, #entries do
      call('XADD', stream, '*', 'grab', entries[i])
    end
  end
end

local function failed(defect)
  return 'failed ' .. (type(defect) == 'table' and defect.err or tostring(defect))
end

local replies = { now, 0 }
for first = FIRST, #ARGV, STRIDE do
  -- One request that meets a defect must not fail its neighbours.
  local fine, reply = pcall(grab_one, first)
  replies[#replies + 1] = fine and reply or failed(reply)
end
if #entries > 0 then
  local fine, defect = pcall(write)
  for i = 3, fine and 0 or #replies do
    if string.sub(replies[i], 1, 9) == 'accepted ' then
      replies[i] = failed(defect)
    end
  end
end
replies[2] = tonumber(call('GET', seq)) or 0
return replies
