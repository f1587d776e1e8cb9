import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openScene } from './provisioning-scene.ts'

describe('{control_url}/openapi.json', () => {
  test('{control_url}/openapi.json describes every call in OpenAPI 3.1, with unique operation IDs and only references that resolve', async (t) => {
    const { world } = await openScene(t)
    const document = (await (await fetch(`${world.controlUrl}/openapi.json`)).json()) as {
      openapi: string
      servers: object[]
      paths: Record<string, Record<string, { operationId: string; responses: object; requestBody?: object }>>
      components: { schemas: Record<string, object> }
    }
    assert.equal(document.openapi, '3.1.0')
    assert.deepEqual(document.servers, [{ url: world.controlUrl }])
    const calls = Object.entries(document.paths).map(([path, methods]) => `${path}: ${Object.keys(methods).join(' ')}`)
    const ofContract = [
      '/v1/users/{userId}: put get delete',
      '/v1/users/{userId}/export: get',
      '/v1/applications/{applicationId}: put get delete',
      '/v1/bots/{botId}/deliveries/replay: post',
      '/v1/bots/{botId}/deliveries/discard: post',
      '/v1/bots/{botId}/deliveries/{eventId}/replay: post',
      '/v1/bots/{botId}/deliveries/{eventId}/discard: post',
      '/v1/bots/{botId}: put get delete',
      '/v1/bots/{botId}/coworkers/{userId}: put get delete',
      '/v1/bots/{botId}/guilds: put get delete',
      '/v1/bots/{botId}/flows/{flowId}: put get delete',
      '/v1/bots/{botId}/logs: post get delete',
      '/v1/runtimes: post get',
      '/v1/runtimes/{runtimeId}: put get delete',
      '/v1/runtimes/{runtimeId}/keys: post',
      '/v1/runtimes/{runtimeId}/keys/{keyNumber}: delete',
      '/v1/users/{userId}/disable: post',
      '/v1/users/{userId}/enable: post',
      '/v1/users/{userId}/end-sessions: post',
      '/v1/users/{userId}/revoke-tokens: post',
      '/v1/applications/{applicationId}/disable: post',
      '/v1/applications/{applicationId}/enable: post',
      '/v1/applications/{applicationId}/revoke-tokens: post',
      '/v1/scopes/{scope}: put get delete',
    ]
    for (const call of ofContract) assert.ok(calls.includes(call), `${call} is not described`)
    const references = [...JSON.stringify(document).matchAll(/"#\/components\/(\w+)\/(\w+)"/g)]
    assert.ok(references.length > 20)
    for (const [, part, name] of references) {
      const components = document.components as unknown as Record<string, Record<string, object>>
      assert.ok(components[part as string]?.[name as string], `${part}/${name} is missing`)
    }
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))
    assert.equal(new Set(operations.map(({ operationId }) => operationId)).size, operations.length)
    assert.partialDeepStrictEqual(document.components.schemas.BotChange, {
      additionalProperties: false,
      required: ['ownerId', 'name', 'chatPlatformId'],
    })
    // A nullable member says what null means: by its own description, by that of its value, or in general.
    assert.partialDeepStrictEqual(document.components.schemas, {
      DeliveryAttempt: {
        properties: { endedAt: { description: 'when the attempt ended; null while it is in progress' } },
      },
      UserChange: { properties: { pin: { description: 'session PIN of 4 to 12 digits, or null for none' } } },
      User: { properties: { email: { description: 'null for none' } } },
    })
  })
})
