-- Needs waiting.lua.
-- Shared by scripts that decide many requests in one call. They define stream, seq, backlog_max,
-- deadline, FIRST, STRIDE and call before this. CALL_MAX is the maximum of rush.batch.size, so that
-- a command's words fit into the 8000 that Lua can pass.
local CALL_MAX = 1000
local requests = (#ARGV - FIRST + 1) / STRIDE
local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local number = tonumber(call('GET', seq)) or 0
local is_late = not deadline or now > deadline
local replies, granted, repeated = { now, number }, 0, false
-- New records by user, and all that the end of the call writes, in one command per key: a command
-- costs more than the data that it writes.
local records, to_records, entry = {}, {}, {}

-- How many more requests may enter the stream. A short stream has room whatever its head is.
local function room_left()
  if backlog_max == 0 then
    return math.huge
  end
  local short = (call('XLEN', stream) + 1) * CALL_MAX < backlog_max
  return backlog_max - (short and 0 or count_waiting(stream, number))
end

local function failed(defect)
  return 'failed ' .. (type(defect) == 'table' and defect.err or tostring(defect))
end
