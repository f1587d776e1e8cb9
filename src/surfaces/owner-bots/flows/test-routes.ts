import type { FastifyInstance, FastifyRequest } from 'fastify'
import { mayDo } from '../../../domain/bots/bot-access.ts'
import { BotRefusal } from '../../../domain/bots/bot-refusal.ts'
import type { Flow, FlowWebhook } from '../../../domain/bots/flows/flow.ts'
import * as limits from '../../../domain/limits/limits.ts'
import { WebhookRefusal } from '../../../domain/webhooks/webhooks.ts'
import { button, buttonRow, linkButton } from '../../../pages/components/button.ts'
import { textArea, textField } from '../../../pages/components/field.ts'
import { errorSummary } from '../../../pages/components/notice.ts'
import { formText } from '../../../pages/form-posts.ts'
import { type Html, html, type Text, type Words } from '../../../pages/html.ts'
import { sendPage } from '../../../pages/page.ts'
import { errorNotices, type FormError, messagesOf } from '../bot-errors.ts'
import { type BotPageView, botPartPage } from '../bot-frame.ts'
import { type BotVisit, pageAt, sendNotFound } from '../on-bot.ts'
import { botFrameWords } from '../words.ts'
import { mayTest } from './may-test.ts'
import { type FlowServices, onFlow } from './routes.ts'
import { testWords as words } from './words.ts'

/** Registers the page on which a test webhook is written. Sending it leads to the page of its delivery. */
export function flowTestRoutes(app: FastifyInstance, services: FlowServices): void {
  app.get(
    '/bots/:botId/flows/:flowId/test',
    onFlow(services, 'change-flows', async (visit, flow) => {
      const { webhook } = flow
      if (webhook === null) return sendNotFound(visit)
      if (!mayTest(visit, webhook)) throw new BotRefusal('not-allowed')
      return sendPage(visit.reply, testPage({ ...visit, flow, webhook, input: sampleTest(visit, flow), errors: [] }))
    }),
  )

  app.post(
    '/bots/:botId/flows/:flowId/test',
    { bodyLimit: limits.testFormMaxBytes },
    onFlow(
      services,
      {
        action: 'change-flows',
        page: pageAt('/bots/:botId/flows/:flowId/test'),
      },
      async (visit, flow) => {
        const { bot, by, request, reply } = visit
        const { webhook } = flow
        if (webhook === null) return sendNotFound(visit)
        const input = inputOf(request)
        const errors = testErrors(input)
        if (errors.length > 0) {
          return sendPage(reply, testPage({ ...visit, flow, webhook, input, errors }), { status: 422 })
        }
        try {
          const id = await services.webhooks.acceptTest(by, bot.id, testWebhook(visit, webhook.path, input))
          request.log.info({ bot: bot.id, flow: flow.id, user: by.userId, event: id }, 'test webhook accepted')
          const delivery = mayDo(visit, 'read-bodies') ? `/${id}` : ''
          return services.flash.redirect(reply, `/bots/${bot.id}/deliveries${delivery}`, 'test-sent')
        } catch (error) {
          if (!(error instanceof WebhookRefusal)) throw error
          request.log.info({ bot: bot.id, flow: flow.id, reason: error.reason }, 'test webhook refused')
          const message = refusalWords[error.reason] ?? words.refused
          return sendPage(reply, testPage({ ...visit, flow, webhook, input, errors: [{ message }] }), { status: 503 })
        }
      },
    ),
  )
}

const refusalWords: Partial<Record<WebhookRefusal['reason'], Words>> = {
  'queue-full': words.queueFull,
  'gateway-unavailable': words.gatewayUnavailable,
}

/** Browsers send line breaks in forms as CR LF. */
function inputOf(request: FastifyRequest): TestInput {
  const header = (name: string) => formText(request, name).trim()
  return {
    body: formText(request, 'body').replaceAll('\r\n', '\n'),
    content_type: header('content_type'),
    user_agent: header('user_agent'),
    forwarded_for: header('forwarded_for'),
    request_id: header('request_id'),
  }
}

interface TestView extends BotPageView {
  flow: Flow
  webhook: FlowWebhook
  input: TestInput
  errors: readonly FormError[]
}

/** Renders the form for a test webhook: its body, and the headers that reach the bot. */
function testPage(view: TestView): Html {
  const { bot, flow, webhook, input, errors, person } = view
  const address = `/bots/${bot.id}/flows/${flow.id}`
  return botPartPage(view, {
    part: 'flows',
    inside: { above: [{ name: flow.name, href: address }], name: words.title },
    canonical: `${address}/test`,
    body: html`<div class="stack tight"><p class="soft">${words.about}</p><p class="soft">${authentication(webhook)}</p></div>
${errorNotices(errors)}
${errorSummary(errors.flatMap(({ field, message }) => (field === undefined ? [] : [{ field, message }])))}
<form class="card" method="post" action="${address}/test" novalidate><input type="hidden" name="form_token" value="${person.formToken}">
${textArea({ name: 'body', label: words.body, rows: 8, code: true, value: input.body, error: messagesOf(errors, 'body') })}
${testFields.map(({ name, header }) => textField({ name, label: header, code: true, autocomplete: 'off', value: input[name], error: messagesOf(errors, name) }))}
<p class="hint">${words.headersHint}</p>
${buttonRow(button({ label: words.send, tone: 'primary' }), linkButton({ label: botFrameWords.cancel, href: address, tone: 'quiet' }))}
</form>`,
  })
}

/** Explains how the test passes the check of the signature or key. Empty if the flow checks neither. */
function authentication({ requiresKey, signature }: FlowWebhook): Text {
  if (signature !== null) return signature.preset === 'discord' ? words.discord : words.signed
  return requiresKey ? words.noKeyNeeded : ''
}

/** The headers of a test webhook, each with its form field. */
const testFields = [
  { name: 'content_type', header: 'content-type' },
  { name: 'user_agent', header: 'user-agent' },
  { name: 'forwarded_for', header: 'x-forwarded-for' },
  { name: 'request_id', header: 'x-request-id' },
] as const

type TestInput = Record<(typeof testFields)[number]['name'] | 'body', string>

/** Returns a sample webhook whose body and user agent say that it is a test. */
function sampleTest({ bot, nowMs }: BotVisit, flow: Flow): TestInput {
  const body = { test: true, bot: bot.id, flow: flow.id, sentAt: new Date(nowMs).toISOString() }
  return {
    body: JSON.stringify(body, null, 2),
    content_type: 'application/json',
    user_agent: 'Gatehouse-Test/1',
    forwarded_for: '',
    request_id: '',
  }
}

function testErrors(input: TestInput): FormError[] {
  const errors: FormError[] = []
  if (Buffer.byteLength(input.body) > limits.testBodyMaxBytes) errors.push({ field: 'body', message: words.tooLarge })
  for (const { name } of testFields) {
    const isHeader = /^[\x20-\x7e]*$/.test(input[name]) && input[name].length <= limits.testHeaderMaxCharacters
    if (!isHeader) errors.push({ field: name, message: words.headerMalformed })
  }
  return errors
}

/** @param input must have no {@link testErrors}. */
function testWebhook({ by }: BotVisit, path: string, input: TestInput) {
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
