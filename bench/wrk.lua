-- Drives one case of a bench with wrk and prints one line of results.
--
-- Arguments: kind  prefix  body  pause: mean pause of a connection between requests, in ms
--   get     no identity, no body
--   post    a new user for each request, "<prefix><n>"
--   key     the same, with a new Idempotency-Key for each request
--   webdis  the command in the body, with %s for the user and %o for an order id
-- Must run in one thread, so that n never repeats.

local kind, prefix, body, head, middle
local count, pause = 0, 0

function init(args)
  kind, prefix, body = args[1], args[2], args[3] or ''
  pause = tonumber(args[4] or '0')
  if pause == 0 then
    delay = nil
  end
  head = (kind == 'get' and 'GET ' or 'POST ') .. wrk.path .. ' HTTP/1.1\r\nHost: '
      .. wrk.headers['Host'] .. '\r\n'
  middle = '\r\nContent-Type: application/json\r\nContent-Length: ' .. #body .. '\r\n\r\n' .. body
end

-- Random, so that connections do not fall into step.
function delay()
  return math.random(0, 2 * pause)
end

function request()
  if kind == 'get' then
    return head .. '\r\n'
  end
  count = count + 1
  local name = prefix .. count
  if kind == 'webdis' then
    local order = string.format('01a1f8ab-41ae-7786-ad79-%012d', count)
    local command = string.gsub(body, '%%(%l)', { s = name, o = order })
    return head .. 'Content-Length: ' .. #command .. '\r\n\r\n' .. command
  end
  if kind == 'key' then
    return head .. 'Idempotency-Key: ' .. name .. '\r\nX-User-Id: ' .. name .. middle
  end
  return head .. 'X-User-Id: ' .. name .. middle
end

function done(summary, latency)
  local failed = summary.errors
  io.write(string.format('RESULT %d %d %d %d %d %d\n', summary.requests, summary.duration,
      failed.status, failed.connect + failed.read + failed.write + failed.timeout,
      latency:percentile(50), latency:percentile(99)))
end
