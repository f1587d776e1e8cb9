import { BotRefusal } from '../../domain/bots/record-rules.ts'
import type { RuntimeRecord } from '../../domain/bots/runtimes/runtime.ts'
import type { RuntimeKeeper, Runtimes } from '../../domain/bots/runtimes/runtimes.ts'
import { type BotId, parseBotId, type RuntimeId } from '../../domain/ids-and-secrets.ts'
import * as limits from '../../domain/limits/limits.ts'
import { type Schema, Type } from '../../http/json-schema.ts'
import { type Api, created, done, ok } from '../engine/api.ts'
import { bodyOf, nameText, nullableTime, timestamp } from '../engine/schemas.ts'

export const runtimeBody = bodyOf('NewRuntime', {
  name: nameText(limits.botNameMaxCharacters),
  botIds: Type.Union(
    [
      Type.Literal('*'),
      Type.Array(Type.String({ maxLength: limits.idMaxCharacters, description: 'a bot’s ID' }), {
        minItems: 1,
        maxItems: limits.botsPerRuntime,
      }),
    ],
    `a list of 1 to ${limits.botsPerRuntime} IDs of bots that it may host, or "*" for every bot`,
  ),
})

export const newKeyBody = bodyOf(
  'NewRuntimeKey',
  {
    keyBefore: Type.Optional(
      Type.Union(
        [Type.Literal('ends-in-24-hours'), Type.Literal('ends-now')],
        '"ends-in-24-hours" (default) or, after a leak, "ends-now"',
      ),
    ),
  },
  'a JSON object, which may be empty',
)

/** In whose name an API manages runtimes, and how it shows them. */
interface RuntimeAuthority<Caller, Shown extends object> {
  keeper(caller: Caller): RuntimeKeeper
  unknown(id: RuntimeId): Error
  record: Schema<Shown>
  withKey: Schema<Shown & { key: string }>
  shown(runtime: RuntimeRecord): Shown
  texts: { post?: string; postKey: string; deleteKey: string }
}

const one = '/runtimes/{runtimeId}'

export const runtimeRoutes = <Caller, Shown extends object>(
  api: Pick<Api<Caller>, 'get' | 'post' | 'delete'>,
  runtimes: Runtimes,
  { keeper, unknown, record, withKey, shown, texts }: RuntimeAuthority<Caller, Shown>,
) => [
  api.post(
    '/runtimes',
    'Create a runtime and its key',
    { description: texts.post, body: runtimeBody, 201: ['The new runtime, with its key.', withKey] },
    async ({ caller, body: { name, botIds } }) => {
      const made = await runtimes.make({ name, botIds: botIdsOf(botIds) }, keeper(caller))
      return created({ ...shown(made.runtime), key: made.clearTextKey })
    },
  ),
  api.get(one, 'Read a runtime', { 200: ['The runtime.', record] }, async ({ caller, runtimeId }) => {
    const runtime = await runtimes.find(runtimeId, keeper(caller))
    if (runtime === undefined) throw unknown(runtimeId)
    return ok(shown(runtime))
  }),
  api.delete(
    one,
    'Remove a runtime',
    { description: 'Rejects its keys and closes its connections.', 204: 'Removed.' },
    ({ caller, runtimeId }) => done(runtimes.remove(runtimeId, keeper(caller)), () => unknown(runtimeId)),
  ),
  api.post(
    `${one}/keys`,
    'Create a new key for a runtime',
    { description: texts.postKey, body: newKeyBody, 201: ['The runtime, with its new key.', withKey] },
    async ({ caller, runtimeId, body: { keyBefore = 'ends-in-24-hours' } }) => {
      const made = await runtimes.makeKey(runtimeId, { by: keeper(caller), keyBefore })
      return created({ ...shown(made.runtime), key: made.clearTextKey })
    },
  ),
  api.delete(
    `${one}/keys/{keyNumber}`,
    'Revoke a runtime’s previous key',
    { description: texts.deleteKey, conflicts: true, 204: 'Revoked.' },
    ({ caller, runtimeId, keyNumber }) => done(runtimes.endKey(runtimeId, keyNumber, keeper(caller))),
  ),
]

/** Returns the bots from a runtime's body, `null` for every bot. Reports a malformed ID as an unknown bot. */
export function botIdsOf(sent: '*' | readonly string[]): BotId[] | null {
  return sent === '*' ? null : sent.map(botIdOf)
}

function botIdOf(text: string): BotId {
  const id = parseBotId(text)
  if (id === undefined) throw new BotRefusal('runtime-bot-unknown', { detail: text })
  return id
}

/** Active keys of a flow or runtime, current one first. */
export const keyRecords = Type.Array(
  Type.Object(
    {
      number: Type.Integer('number of the key'),
      lastFour: Type.String('last four characters of the key'),
      createdAt: timestamp('when the key was created'),
      lastUsedAt: nullableTime('accurate to the minute; null if never used'),
      endsAt: nullableTime('null for the current key; the previous key works until then'),
    },
    { title: 'Key' },
  ),
  'the active keys, current one first',
)
