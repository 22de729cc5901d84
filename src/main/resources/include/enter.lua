-- Puts an order or grab into the stream once more, after all others: its place is the partition's
-- present number, so that the stream's head never goes back. Before this, scripts name stream and
-- seq.
local function enter(kind, before, after)
  return redis.call('XADD', stream, '*', kind,
      before .. (redis.call('GET', seq) or '0') .. after)
end
