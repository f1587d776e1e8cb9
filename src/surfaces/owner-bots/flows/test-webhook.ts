import type { Flow } from '../../../domain/bots/flows/flow.ts'
import { testBodyMaxBytes, testHeaderMaxCharacters } from '../../../domain/limits/limits.ts'
import type { FormError } from '../bot-errors.ts'
import type { BotVisit } from '../on-bot.ts'
import { testWords } from './test-words.ts'

/** The headers of a test webhook, each with its form field. */
export const testFields = [
  { name: 'content_type', header: 'content-type' },
  { name: 'user_agent', header: 'user-agent' },
  { name: 'forwarded_for', header: 'x-forwarded-for' },
  { name: 'request_id', header: 'x-request-id' },
] as const

export type TestInput = Record<(typeof testFields)[number]['name'] | 'body', string>

/** Returns a sample webhook whose body and user agent say that it is a test. */
export function sampleTest({ bot, nowMs }: BotVisit, flow: Flow): TestInput {
  const body = { test: true, bot: bot.id, flow: flow.id, sentAt: new Date(nowMs).toISOString() }
  return {
    body: JSON.stringify(body, null, 2),
    content_type: 'application/json',
    user_agent: 'Gatehouse-Test/1',
    forwarded_for: '',
    request_id: '',
  }
}

export function testErrors(input: TestInput): FormError[] {
  const errors: FormError[] = []
  if (Buffer.byteLength(input.body) > testBodyMaxBytes) errors.push({ field: 'body', message: testWords.tooLarge })
  for (const { name } of testFields) {
    const isHeader = /^[\x20-\x7e]*$/.test(input[name]) && input[name].length <= testHeaderMaxCharacters
    if (!isHeader) errors.push({ field: name, message: testWords.headerMalformed })
  }
  return errors
}

/** @param input must have no {@link testErrors}. */
export function testWebhook({ by }: BotVisit, path: string, input: TestInput) {
  return {
    path,
    headers: {
      contentType: input.content_type || undefined,
      userAgent: input.user_agent || undefined,
      forwardedFor: input.forwarded_for || undefined,
      requestId: input.request_id || undefined,
    },
    clientIp: by.origin.address,
    body: Buffer.from(input.body),
  }
}
