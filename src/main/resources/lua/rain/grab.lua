#!lua
--[[
Grab: take the next envelope of one rain for each of N requests, each at most once per idempotency
key.

KEYS[1] conf       hash    opens_at closes_at paused closed_at limit count granted granted_amount
KEYS[2] envelopes  list    amounts, next one at the head; the last element is a placeholder
KEYS[3] takers     hash    user → record: a line for each grab, oldest first
KEYS[4] board      zset    "<number> <user> <nth>", scored by −amount: the highest 100
KEYS[5] sums       zset    "<number of the first> <user>", scored by −sum: the highest 100
KEYS[6] stream     stream  per call one entry of one field, grab → "rain at number head seq" and for
                           each grab "user grab key nth amount"
KEYS[7] seq        string  accepted purchases and grabs of the partition
ARGV[1] backlog_max  orders and grabs that may wait in the stream; 0: nothing enters it
ARGV[2] rain
ARGV[3] deadline   the earliest of all requests
ARGV[4] deadlines  of all requests, in their order; empty if all are equal
then for each request; the first words of all come before the second ones
ARGV[1] user  ARGV[2] what  "grab key"; the key may be empty

Returns now, seq, then per request the first that applies:
  replayed grab nth number amount at | unavailable | unknown-rain | not-loaded | paused
  | not-open opens_at | closed | limit-reached limit taken | empty | backlogged
  | accepted nth number amount at | failed message

Keeps: granted + length of envelopes − 1 = count; one line in its taker's record, one place in a
stream entry and one step of seq per grab; a refused grab takes nothing. A line of a record is "grab
key number amount at head"; a user's nth grab is the nth line. Envelopes are numbered from 1 in the
order in which they are handed out. head is the number of the first grab of the call, as in
purchase.lua. Times are milliseconds of this Redis's clock.
]]
local conf, envelopes, takers, board, sums, stream, seq = unpack(KEYS)
local backlog_max, rain = tonumber(ARGV[1]), ARGV[2]
local deadline, deadlines = tonumber(ARGV[3]), ARGV[4]
local FIRST, STRIDE = 5, 2
local RANKS_MAX = 100
-- Looked up once, because a full call runs the code below 128 times.
local ARGV, call, format = ARGV, redis.call, string.format

-- include head
-- include waiting
-- include deadline
-- include call
-- include window

local terms = call('HMGET', conf, 'opens_at', 'closes_at', 'paused', 'closed_at', 'limit', 'count',
    'granted')
local limit, count, handed_out = tonumber(terms[5]), tonumber(terms[6]), tonumber(terms[7])
local taken_at = format(' %d', now)
local line_end = format('%s %d\n', taken_at, number + 1)

-- The next envelopes, as many as this call could hand out; the sum that it has granted; and how
-- many more grabs may enter the stream. Amounts stay texts, because Lua prints large ones rounded.
local amounts, granted_amount, room = nil, 0, nil
-- The thresholds of both rankings, and what to add. An amount must exceed its threshold, a sum must
-- reach it.
local board_least, sums_least, to_board, to_sums = nil, nil, {}, {}

-- Why no user can grab now.
local function rain_refusal()
  if not terms[1] then
    return 'unknown-rain'
  end
  -- Envelopes that are neither granted nor left are lost.
  if call('LLEN', envelopes) ~= count - handed_out + 1 then
    return 'not-loaded'
  end
  -- Redis lost who took the envelopes that were granted.
  if handed_out > 0 and call('EXISTS', takers) == 0 then
    return 'not-loaded'
  end
  return window_refusal(unpack(terms, 1, 4))
end

-- The number of grabs in a record. Records may be long, so they are parsed only if more is needed.
local function count_grabs(record)
  local _, lines = string.gsub(record, '\n', '')
  return lines
end

-- The sum of a record's grabs, the number of the first, and the reply to the grab with this key.
local function read_record(record, key)
  local taken, sum, earliest, reply = 0, 0, nil, nil
  for line in string.gmatch(record, '([^\n]*)\n') do
    local grab, known, envelope, amount, at =
        string.match(line, '^(%S+) (%S*) (%d+) (%d+) (%d+) %d+$')
    -- A malformed line is a defect, and fails the request.
    taken, sum, earliest = taken + 1, sum + tonumber(amount), earliest or envelope
    -- A grab without a client's key has its id as its key.
    if key ~= '' and (known == key or known == '' and grab == key) then
      reply = table.concat({ 'replayed', grab, taken, envelope, amount, at }, ' ')
    end
  end
  return sum, earliest, reply
end

-- The threshold of a ranking: its last value, or zero while it is not full.
local function least_of(ranks)
  local last = call('ZRANGE', ranks, RANKS_MAX - 1, RANKS_MAX - 1, 'WITHSCORES')[2]
  return last and -tonumber(last) or 0
end

-- Reads what only calls that grant something need.
local function prepare()
  amounts = call('LRANGE', envelopes, 0, requests - 1)
  board_least, sums_least = least_of(board), least_of(sums)
end

local function grant(user, what, record, taken, sum, earliest)
  local text = amounts[granted + 1]
  local amount = tonumber(text)
  granted_amount, sum = granted_amount + amount, sum + amount
  local nth, envelope = format('%d', taken + 1), format('%d', handed_out + granted + 1)
  local line = what .. ' ' .. envelope .. ' ' .. text .. line_end
  if amount > board_least then
    to_board[#to_board + 1] = '-' .. text
    to_board[#to_board + 1] = format('%012d %s %s', envelope, user, nth)
  end
  if sum >= sums_least then
    to_sums[#to_sums + 1] = format('-%.0f', sum)
    to_sums[#to_sums + 1] = format('%012d %s', earliest or envelope, user)
  end
  return 'accepted ' .. nth .. ' ' .. envelope .. ' ' .. text .. taken_at,
      record and record .. line or line, nth, text
end

local refusal = rain_refusal()

-- Decides a request. Returns the reply and, if granted, the taker's new record, nth and amount.
local function grab(place, user, what, record)
  local taken = record and count_grabs(record) or 0
  local key = string.match(what, ' (%S*)$')
  if record and key ~= '' and string.find(record, key, 1, true) then
    local _, _, reply = read_record(record, key)
    if reply then
      repeated = true
      return reply
    end
  end
  if is_late and is_over(deadlines, place, now, deadline) then
    return 'unavailable'
  end
  if refusal then
    return refusal
  end
  if taken >= limit then
    return format('limit-reached %d %d', limit, taken)
  end
  if handed_out + granted >= count then
    return 'empty'
  end
  room = room or room_left()
  if granted >= room then
    return 'backlogged'
  end
  if not amounts then
    prepare()
  end
  local sum, earliest = 0, nil
  if record then
    sum, earliest = read_record(record, '')
  end
  return grant(user, what, record, taken, sum, earliest)
end

local found = call('HMGET', takers, unpack(ARGV, FIRST, FIRST + requests - 1))
for first = FIRST, FIRST + requests - 1 do
  local user, what = ARGV[first], ARGV[first + requests]
  local place = first - FIRST + 1
  -- A defect in one request must not fail the others.
  local ok, reply, record, nth, amount = pcall(grab, place, user, what,
      records[user] or found[place])
  if amount then
    -- Nothing below can fail.
    local of_records, of_entry = 2 * granted, 4 * granted + 1
    to_records[of_records + 1], to_records[of_records + 2] = user, record
    entry[of_entry + 1], entry[of_entry + 2] = user, what
    entry[of_entry + 3], entry[of_entry + 4] = nth, amount
    records[user], granted = record, granted + 1
  end
  replies[place + 2] = ok and reply or failed(reply)
end

-- Adds entries to a ranking and trims it. The sums stay exact: they only grow, so each ranked user
-- was ranked before, or has just been added with the whole sum.
local function write_ranks(ranks, entries)
  if #entries > 0 then
    call('ZADD', ranks, unpack(entries))
    call('ZREMRANGEBYRANK', ranks, RANKS_MAX, -1)
  end
end

local function write()
  call('LPOP', envelopes, granted)
  call('HINCRBY', conf, 'granted', granted)
  call('HINCRBY', conf, 'granted_amount', format('%.0f', granted_amount))
  write_ranks(board, to_board)
  write_ranks(sums, to_sums)
  call('HSET', takers, unpack(to_records))
  replies[2] = call('INCRBY', seq, granted)
  if backlog_max > 0 then
    entry[1] = format('%s%s %d %d %d', rain, taken_at, handed_out + 1, number + 1, number + 1)
    call('XADD', stream, '*', 'grab', table.concat(entry, ' '))
  end
end

-- include answer
