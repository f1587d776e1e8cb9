import type { FastifyInstance, FastifyReply } from 'fastify'
import { mayDo } from '../../../domain/bots/bot-access.ts'
import type { FlowWebhook } from '../../../domain/bots/flows/flow.ts'
import { BotRefusal } from '../../../domain/bots/record-rules.ts'
import * as limits from '../../../domain/limits/limits.ts'
import { WebhookRefusal } from '../../../domain/webhooks/webhooks.ts'
import { postForm, submitOrCancel } from '../../../pages/components/elements.ts'
import * as forms from '../../../pages/form.ts'
import { acceptPost, showPage } from '../../../pages/form-routes.ts'
import { html, type Text, t, type Words } from '../../../pages/html.ts'
import { type BotPageServices, type BotVisit, botPartPage, pageAt, sendNotFound } from '../bot-pages.ts'
import { causeWords } from '../deliveries/refused-webhooks.ts'
import { botDone } from '../words.ts'
import { type FlowVisit, mayTest, onFlow } from './routes.ts'

const header = (label: string) => forms.textField({ label, code: true, autocomplete: 'off', trim: true })
const headers = {
  contentType: header('content-type'),
  userAgent: header('user-agent'),
  forwardedFor: header('x-forwarded-for'),
  requestId: header('x-request-id'),
}
const testForm = forms.form({ body: forms.textArea({ label: t`Body`, rows: 8, code: true }), ...headers })
type TestInput = ReturnType<typeof testForm.read>

export function flowTestRoutes(app: FastifyInstance, services: BotPageServices): void {
  showPage(app, '/bots/:botId/flows/:flowId/test', onFlow(services, 'change-flows'), async (visit) => {
    const { webhook } = visit.flow
    if (webhook === null) return sendNotFound(visit)
    if (!mayTest(visit, webhook)) throw new BotRefusal('not-allowed')
    return sendTest(visit, webhook, { values: sampleTest(visit) })
  })

  const onTest = onFlow(services, { action: 'change-flows', page: pageAt('/bots/:botId/flows/:flowId/test') })
  const accept = async (visit: FlowVisit) => {
    const { bot, by, flow, request, redirect } = visit
    const { webhook } = flow
    if (webhook === null) return sendNotFound(visit)
    const read = testForm.read(request)
    // Browsers send line breaks in forms as CR LF.
    const values = { ...read, body: read.body.replaceAll('\r\n', '\n') }
    const errors = testErrors(values)
    if (errors.length > 0) return sendTest(visit, webhook, { values, errors, status: 422 })
    try {
      const id = await services.webhooks.acceptTest(by, bot.id, testWebhook(visit, webhook.path, values))
      request.log.info({ bot: bot.id, flow: flow.id, user: by.userId, event: id }, 'test webhook accepted')
      const delivery = mayDo(visit, 'read-bodies') ? `/${id}` : ''
      return redirect(`/bots/${bot.id}/deliveries${delivery}`, botDone.testSent)
    } catch (error) {
      if (!(error instanceof WebhookRefusal)) throw error
      request.log.info({ bot: bot.id, flow: flow.id, reason: error.reason }, 'test webhook refused')
      const message = refusalWords[error.reason] ?? t`Test not sent. Try again in a moment.`
      return sendTest(visit, webhook, { values, errors: [{ message }], status: 503 })
    }
  }
  acceptPost(app, '/bots/:botId/flows/:flowId/test', onTest, accept, { bodyLimit: limits.testFormMaxBytes })
}

const refusalWords: Partial<Record<WebhookRefusal['reason'], Words>> = {
  'secret-unreadable': causeWords['secret-unreadable'].helps,
  'queue-full': t`The bot’s queue is full, so it accepts no webhooks. Start a runtime to process them, or discard dead letters.`,
  'gateway-unavailable': t`The gateway can’t store webhooks right now. Try again in a moment.`,
}

function sendTest(visit: FlowVisit, webhook: FlowWebhook, filled: Partial<forms.Filled<TestInput>>): FastifyReply {
  const { bot, flow, send } = visit
  const { errors = [], status } = filled
  const address = `/bots/${bot.id}/flows/${flow.id}`
  const content = botPartPage(visit, {
    part: 'flows',
    inside: { above: [{ name: flow.name, href: address }], name: t`Test webhook` },
    canonical: `${address}/test`,
    body: html`<div class="stack tight"><p class="soft">${t`The flow handles the test like any other webhook, except that it is never treated as a duplicate.`}</p><p class="soft">${authentication(webhook)}</p></div>
${forms.errorNotices(errors)}
${forms.fieldErrorSummary(errors)}
${postForm(
  { action: `${address}/test`, style: 'card', novalidate: true },
  Object.values(testForm.fields(filled)),
  html`<p class="hint">${t`Only these headers reach a bot. Leave a field empty to omit its header. ${html`<code>Gatehouse-Test/1</code>`} marks a test.`}</p>`,
  submitOrCancel(t`Send test`, address),
)}`,
  })
  return send(content, status)
}

/** Explains how the test passes the check of the signature or key. Empty if the flow checks neither. */
function authentication({ requiresKey, signature }: FlowWebhook): Text {
  if (signature !== null)
    return signature.preset === 'discord'
      ? t`The test is not signed, because only Discord has the private key.`
      : t`Gatehouse signs the test with the flow’s signing secret and checks the signature.`
  return requiresKey ? t`The test needs no key.` : ''
}

function sampleTest({ bot, flow, nowMs }: FlowVisit): TestInput {
  const body = { test: true, bot: bot.id, flow: flow.id, sentAt: new Date(nowMs).toISOString() }
  return {
    body: JSON.stringify(body, null, 2),
    contentType: 'application/json',
    userAgent: 'Gatehouse-Test/1',
    forwardedFor: '',
    requestId: '',
  }
}

function testErrors(input: TestInput): forms.FormError[] {
  const errors: forms.FormError[] = []
  if (Buffer.byteLength(input.body) > limits.testBodyMaxBytes)
    errors.push({ field: 'body', message: t`Use at most 64 KiB.` })
  for (const name of Object.keys(headers) as (keyof typeof headers)[]) {
    const isHeader = /^[\x20-\x7e]*$/.test(input[name]) && input[name].length <= limits.testHeaderMaxCharacters
    if (!isHeader)
      errors.push({
        field: forms.wireName(name),
        message: t`Use at most ${limits.testHeaderMaxCharacters} visible ASCII characters.`,
      })
  }
  return errors
}

/** @param input must have no {@link testErrors}. */
function testWebhook({ by }: BotVisit, path: string, input: TestInput) {
  return {
    path,
    headers: {
      contentType: input.contentType || undefined,
      userAgent: input.userAgent || undefined,
      forwardedFor: input.forwardedFor || undefined,
      requestId: input.requestId || undefined,
    },
    clientIp: by.origin.address,
    body: Buffer.from(input.body),
  }
}
