-- Needs waiting.lua.
-- Shared by scripts that decide many requests in one call. Before this, they name stream, seq,
-- backlog_max, deadline, FIRST, STRIDE, call and format. A call has no more requests than
-- rush.batch.size may be, so a command's words fit into the 8000 that Lua may pass.
local CALL_MAX = 1000
local time = call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local number = tonumber(call('GET', seq)) or 0
local is_late = not deadline or now > deadline
local replies, granted, repeated = { now, number }, 0, false
-- What the users of this call have by now, and what is written at its end, in one command per key:
-- a command costs more than what it writes.
local records, to_records, entry = {}, {}, {}

-- Reads the records of all users.
local function read_records(hash)
  local users = {}
  for first = FIRST, #ARGV, STRIDE do
    users[#users + 1] = ARGV[first]
  end
  local found = call('HMGET', hash, unpack(users))
  for i = 1, #users do
    if found[i] then
      records[users[i]] = found[i]
    end
  end
end

-- How many more requests may enter the stream. A short one cannot hold too many, whatever its head.
local function room_left()
  if backlog_max == 0 then
    return math.huge
  end
  local short = (call('XLEN', stream) + 1) * CALL_MAX < backlog_max
  return backlog_max - (short and 0 or count_waiting(stream, number))
end

-- Notes what a request is granted: its user's record, and four words of the stream's entry. From
-- here on nothing of a request can fail.
local function note(user, record, what, third, fourth)
  local pairs_size, size = 2 * granted, 4 * granted + 1
  entry[size + 1], entry[size + 2], entry[size + 3], entry[size + 4] = user, what, third, fourth
  to_records[pairs_size + 1], to_records[pairs_size + 2] = user, record
  records[user] = record
  granted = granted + 1
end

local function failed(defect)
  return 'failed ' .. (type(defect) == 'table' and defect.err or tostring(defect))
end

-- A call that only repeats answers writes too: whoever waits for replicas waits for what its
-- connection wrote last, and the first answer may have come over another one.
local function write_nothing()
  replies[2] = call('INCRBY', seq, 0)
end

-- Decides all requests, then writes what was granted.
local function answer(decide, write)
  -- One request that meets a defect must not fail its neighbours: those behind it come next.
  repeat
    local fine, defect = pcall(decide, #replies - 2)
    if not fine then
      replies[#replies + 1] = failed(defect)
    end
  until fine
  local fine, defect = pcall(granted == 0 and repeated and write_nothing or write)
  for i = 3, fine and 0 or #replies do
    -- What is replayed may be of this call, and half written too.
    local word = string.match(replies[i], '^%a+')
    if word == 'accepted' or word == 'replayed' then
      replies[i] = failed(defect)
    end
  end
  return replies
end

-- Writes records, numbers, and the stream's entry, which begins with its kind's own words.
local function write_call(hash, kind, own_words)
  call('HSET', hash, unpack(to_records))
  replies[2] = call('INCRBY', seq, granted)
  if backlog_max > 0 then
    entry[1] = format('%s %d %d', own_words, number + 1, number + 1)
    call('XADD', stream, '*', kind, table.concat(entry, ' '))
  end
end
