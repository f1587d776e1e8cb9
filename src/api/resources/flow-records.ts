import type { Flow } from '../../domain/bots/flows/flow.ts'
import { signatureEncodings, signatureHashes, signaturePresets } from '../../domain/bots/flows/signature-setting.ts'
import * as limits from '../../domain/limits/limits.ts'
import { Type } from '../../http/json-schema.ts'
import { clearable, isoOrNull, nameText, nullable, nullableTime } from '../engine/schemas.ts'

const headerNameText = `1 to ${limits.headerNameMaxCharacters} letters, digits, hyphens and underscores`
const headerName = (description: string) =>
  Type.Optional(Type.String({ pattern: `^[A-Za-z0-9_-]{1,${limits.headerNameMaxCharacters}}$`, description }))

const signatureMembers = {
  publicKey: Type.Optional(
    Type.String({ pattern: '^[0-9a-fA-F]{64}$', description: 'with discord: the public key, 64 hexadecimal digits' }),
  ),
  header: headerName(`with hmac and token: the header with the signature or the token, ${headerNameText}`),
  hash: Type.Optional(Type.Enum(signatureHashes, 'with hmac: sha1, sha256 or sha512; sha256 if absent')),
  encoding: Type.Optional(Type.Enum(signatureEncodings, 'with hmac: hex or base64; hex if absent')),
  prefix: Type.Optional(
    Type.String({
      pattern: `^[!-~]{0,${limits.signaturePrefixMaxCharacters}}$`,
      description: `with hmac: text before each signature, at most ${limits.signaturePrefixMaxCharacters} visible ASCII characters`,
    }),
  ),
  signed: Type.Optional(
    Type.String({
      pattern: `^[ -~]{1,${limits.signedTextMaxCharacters}}$`,
      description: `with hmac: the signed text, at most ${limits.signedTextMaxCharacters} ASCII characters with {body} once, {timestamp} at most once and without {id}; {body} if absent`,
    }),
  ),
  timestampHeader: headerName('with hmac: the header with the timestamp, if signed contains {timestamp}'),
  timestampPart: headerName(
    'with hmac: the name of the timestamp in the signature’s header, such as t in t=1700000000,v1=…',
  ),
}

const preset = Type.Enum(
  signaturePresets,
  'how the sender signs: github, stripe, slack, shopify, discord, standard-webhooks, token (a fixed value) or hmac',
)

const signature = Type.Object(
  {
    preset,
    secret: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: limits.signingSecretMaxCharacters,
        description: `the secret that the sender signs with, 1 to ${limits.signingSecretMaxCharacters} characters; if absent, the stored one is kept, unless preset changes to standard-webhooks. With discord, another name for publicKey`,
      }),
    ),
    secretBefore: Type.Optional(
      Type.Enum(
        ['ends-in-24-hours', 'ends-now'],
        'ends-in-24-hours (default): the secret that this request replaces is accepted for another 24 hours; ' +
          'ends-now: no previous secret is accepted any longer',
      ),
    ),
    ...signatureMembers,
  },
  { additionalProperties: false, description: 'an object with preset and the members of that preset' },
)

const signatureRecord = Type.Object({
  preset,
  ...signatureMembers,
  previousSecretEndsAt: nullableTime('when the replaced secret stops being accepted; null if only the current one is'),
})

const dedupeHeader = headerName(`the header that identifies the webhook, ${headerNameText}`)
const dedupePointer = Type.Optional(
  Type.String({
    pattern: '^(/([^~/]|~[01])*)+$',
    maxLength: limits.dedupePointerMaxCharacters,
    description: `the value in the JSON body that identifies the webhook, as a JSON pointer (RFC 6901) such as /id, at most ${limits.dedupePointerMaxCharacters} characters`,
  }),
)
const windowSeconds = Type.Integer({
  minimum: 1,
  maximum: limits.dedupeWindowMaxSeconds,
  description: `for how many seconds duplicates are detected, 1 to ${limits.dedupeWindowMaxSeconds}; the maximum if absent`,
})

const dedupe = Type.Object(
  { header: dedupeHeader, pointer: dedupePointer, windowSeconds: Type.Optional(windowSeconds) },
  { additionalProperties: false, description: 'an object with header or pointer and optionally windowSeconds' },
)

const dedupeRecord = Type.Object({ header: dedupeHeader, pointer: dedupePointer, windowSeconds })

/** Members of a webhook that every API can change. */
export const webhookSettings = {
  signature: clearable(signature),
  dedupe: clearable(dedupe),
  ordered: clearable(
    Type.Boolean(),
    'true if each event waits until earlier events of the flow are finished; else false',
  ),
}

export const webhookPath = Type.String({
  pattern: `^/?[A-Za-z0-9_./~-]{1,${limits.webhookPathMaxCharacters}}$`,
  description: `a path of 1 to ${limits.webhookPathMaxCharacters} letters, digits and - _ . / ~, without . and .. as segments, which no other flow of the bot uses`,
})

export const requiresKey = Type.Boolean('true if senders must send the flow’s key in svc-key; else false')

export const flowMembers = {
  name: nameText(limits.botNameMaxCharacters),
  publicCode: clearable(
    Type.String({
      pattern: `^[!-~]{1,${limits.publicCodeMaxCharacters}}$`,
      description: `public code of 1 to ${limits.publicCodeMaxCharacters} visible ASCII characters`,
    }),
  ),
}

export const flowKind = Type.String({
  pattern: '^[a-z0-9-]{1,32}$',
  description: '1 to 32 of a-z, 0-9 and hyphen; event for flows that listen for webhooks',
})

export const webhookRecord = {
  path: Type.String(),
  requiresKey: Type.Boolean(),
  keyLastFour: nullable(Type.String()),
  ordered: Type.Boolean(),
  signature: nullable(signatureRecord),
  dedupe: nullable(dedupeRecord),
  key: Type.Optional(Type.String('the generated key, returned only once')),
}

export const flowRecordMembers = {
  botId: Type.String(),
  id: Type.String(),
  kind: Type.String(),
  name: Type.String(),
  publicCode: nullable(Type.String()),
}

/** Renames `secret` in the request to `clearTextSecret`. Discord has no secret, so it can also name the public key. */
export function signatureChange<Sent extends { preset: string; secret?: string; publicKey?: string }>(
  sent: Sent | null | undefined,
) {
  if (!sent) return sent
  const { secret, ...others } = sent
  if (sent.preset === 'discord' && sent.publicKey === undefined) return { ...others, publicKey: secret }
  return { ...others, clearTextSecret: secret }
}

/** @param clearTextKey the key, if this request created one. */
export function flowRecord({ webhook, ...flow }: Flow, clearTextKey?: string) {
  if (webhook === null) return { ...flow, webhook }
  const { keys, signature: setting, previousSecretEndsAtMs, ...shown } = webhook
  const keyLastFour = keys.find(({ endsAtMs }) => endsAtMs === null)?.lastFour ?? null
  const signature = setting && { ...setting, previousSecretEndsAt: isoOrNull(previousSecretEndsAtMs) }
  return { ...flow, webhook: { ...shown, signature, keyLastFour, ...(clearTextKey && { key: clearTextKey }) } }
}
