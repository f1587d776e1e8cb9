import { createServer } from 'node:http'

/** The baseline: a server that reads the request body and responds with a short JSON document. */
const answer = Buffer.from(JSON.stringify({ ok: true, padding: 'x'.repeat(Number(process.env.ANSWER_BYTES ?? 0)) }))

const server = createServer((request, response) => {
  request.on('data', () => {})
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length })
    response.end(answer)
  })
})
server.listen(Number(process.env.PORT), '127.0.0.1', () => process.stderr.write('ready\n'))
