import type { FastifyInstance, FastifyRequest } from 'fastify'
import { mayDo } from '../../../domain/bots/bot-access.ts'
import { testFormMaxBytes } from '../../../domain/limits/limits.ts'
import { WebhookRefusal } from '../../../domain/webhooks/webhooks.ts'
import { formText } from '../../../pages/form-posts.ts'
import type { Words } from '../../../pages/html.ts'
import { sendPage } from '../../../pages/page.ts'
import { pageAt, sendNotFound } from '../on-bot.ts'
import { type FlowServices, onFlow } from './routes.ts'
import { testPage } from './test-page.ts'
import { sampleTest, type TestInput, testErrors, testFields, testWebhook } from './test-webhook.ts'
import { testWords as words } from './test-words.ts'

/** Registers the page on which a test webhook is written. Sending it leads to the page of its delivery. */
export function flowTestRoutes(app: FastifyInstance, services: FlowServices): void {
  app.get(
    '/bots/:botId/flows/:flowId/test',
    onFlow(services, 'change-flows', async (visit, flow) => {
      const { webhook } = flow
      if (webhook === null) return sendNotFound(visit)
      return sendPage(visit.reply, testPage({ ...visit, flow, webhook, input: sampleTest(visit, flow), errors: [] }))
    }),
  )

  app.post(
    '/bots/:botId/flows/:flowId/test',
    { bodyLimit: testFormMaxBytes },
    onFlow(
      services,
      'change-flows',
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
          const id = await services.webhooks.acceptTest(bot.id, testWebhook(visit, webhook.path, input))
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
      { page: pageAt('/bots/:botId/flows/:flowId/test'), keeps: ['body', ...testFields.map(({ name }) => name)] },
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
