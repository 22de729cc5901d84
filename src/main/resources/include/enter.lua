-- Puts an order or grab into the stream once more, after all others: its place is the partition's
-- current number, so that the stream's head never goes back. Scripts define stream and seq before
-- this.
local function enter(kind, before, after)
  return redis.call('XADD', stream, '*', kind,
      before .. (redis.call('GET', seq) or '0') .. after)
end
