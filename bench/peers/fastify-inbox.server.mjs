import { DatabaseSync } from 'node:sqlite'
import Database from 'better-sqlite3'
import Fastify from 'fastify'

/**
 * The simplest possible inbox: look up the flow, run one INSERT, respond with 202. Each INSERT is its own transaction
 * and is on disk before the response. `DRIVER` is `better-sqlite3` or `node:sqlite`.
 */
const database =
  process.env.DRIVER === 'better-sqlite3' ? new Database(process.env.DATABASE) : new DatabaseSync(process.env.DATABASE)
database.exec('PRAGMA journal_mode = WAL')
database.exec('PRAGMA synchronous = FULL')
database.exec(`CREATE TABLE flows (bot_id TEXT, path TEXT, PRIMARY KEY (bot_id, path)) WITHOUT ROWID;
  CREATE TABLE events (
    id INTEGER PRIMARY KEY, bot_id TEXT NOT NULL, path TEXT NOT NULL, accepted_at INTEGER NOT NULL,
    content_type TEXT, user_agent TEXT, forwarded_for TEXT, request_id TEXT, body BLOB NOT NULL
  );
  INSERT INTO flows VALUES ('bot-bench', 'hook')`)
const flow = database.prepare('SELECT 1 FROM flows WHERE bot_id = ? AND path = ?')
const insert = database.prepare(
  `INSERT INTO events (bot_id, path, accepted_at, content_type, user_agent, forwarded_for, request_id, body)
   VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
)

const app = Fastify({ bodyLimit: 1_048_576 })
app.removeAllContentTypeParsers()
app.addContentTypeParser('*', { parseAs: 'buffer' }, (_, body, done) => done(null, body))
app.post('/:botId/*', (request, reply) => {
  const { botId, '*': path } = request.params
  if (flow.get(botId, path) === undefined) return reply.code(404).send({ error: 'Not found.' })
  const { 'content-type': type, 'user-agent': agent, 'x-forwarded-for': from, 'x-request-id': id } = request.headers
  insert.run(botId, path, Date.now(), type ?? null, agent ?? null, from ?? null, id ?? null, request.body)
  return reply.code(202).send({ ok: true })
})
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })
process.stderr.write('ready\n')
