import { BotRefusal } from '../../domain/bots/bot-refusal.ts'
import { type BotId, parseBotId } from '../../domain/ids.ts'
import * as limits from '../../domain/limits/limits.ts'
import { Type } from '../../http/json-schema.ts'

export const runtimeBody = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: limits.nameAsSentMaxCharacters,
      description: `name of 1 to ${limits.botNameMaxCharacters} characters`,
    }),
    botIds: Type.Union(
      [
        Type.Literal('*'),
        Type.Array(Type.String({ maxLength: limits.idMaxCharacters, description: 'a bot’s ID' }), {
          minItems: 1,
          maxItems: limits.botsPerRuntime,
        }),
      ],
      { description: `a list of 1 to ${limits.botsPerRuntime} IDs of bots that it may host, or "*" for every bot` },
    ),
  },
  { additionalProperties: false, title: 'NewRuntime', description: 'a JSON object with name and botIds' },
)

export const newKeyBody = Type.Object(
  {
    keyBefore: Type.Optional(
      Type.Union([Type.Literal('ends-in-24-hours'), Type.Literal('ends-now')], {
        description: '"ends-in-24-hours" (default) or, after a leak, "ends-now"',
      }),
    ),
  },
  { additionalProperties: false, title: 'NewRuntimeKey', description: 'a JSON object, which may be empty' },
)

/** Returns the bots from a runtime's body, `null` for every bot. Reports a malformed ID as an unknown bot. */
export function botIdsOf(sent: '*' | readonly string[]): BotId[] | null {
  return sent === '*' ? null : sent.map(botIdOf)
}

function botIdOf(text: string): BotId {
  const id = parseBotId(text)
  if (id === undefined) throw new BotRefusal('runtime-bot-unknown', { detail: text })
  return id
}
