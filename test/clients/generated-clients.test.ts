import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { createClient as generateClient } from '@hey-api/openapi-ts'
import openapiTypes, { astToString } from 'openapi-typescript'
import { ada, adaWithClient, codeFor, codeGrant, makeToken, provision, signedIn } from '../support/people.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { pluck } from '../support/together.ts'
import { openWorld, type World } from '../support/world.ts'

const packages = join(import.meta.dirname, '../../node_modules')
const names = ['control', 'owners', 'oauth'] as const

async function documentText({ controlUrl, baseUrl, apiUrl }: World, name: (typeof names)[number]): Promise<string> {
  const url = { control: controlUrl, owners: `${baseUrl}/api`, oauth: apiUrl }[name]
  return (await fetch(`${url}/openapi.json`)).text()
}

describe('our choice: linters and generators accept the OpenAPI descriptions (decision 0102)', () => {
  test('all OpenAPI descriptions pass the strict recommended rules of a linter', async (t) => {
    const world = await openWorld(t)
    const folder = temporaryFolder(t)
    for (const name of names) writeFileSync(join(folder, `${name}.json`), await documentText(world, name))
    // The consent endpoint responds with a redirect or an error page.
    assert.deepEqual(lintedProblems(folder, names), [
      'oauth.json operation-2xx-response #/paths/~1auth~1consent/get/responses',
    ])
  })

  test('two generators produce TypeScript clients that compile and call the service', async (t) => {
    const world = await openWorld(t)
    const folder = temporaryFolder(t)
    for (const name of names) {
      const input = JSON.parse(await documentText(world, name))
      writeFileSync(join(folder, `${name}.types.ts`), astToString(await openapiTypes(structuredClone(input))))
      await generateClient({
        input,
        output: { path: join(folder, name), module: { extension: '.ts' } },
        plugins: ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch'],
        logs: { level: 'silent', file: false },
      })
    }
    writeFileSync(join(folder, 'types-used.ts'), typesUsed)
    compile(folder)

    await useControl(await import(pathToFileURL(join(folder, 'control/sdk.gen.ts')).href), world)
    await useOwners(await import(pathToFileURL(join(folder, 'owners/sdk.gen.ts')).href), world)
    await useOauth(await import(pathToFileURL(join(folder, 'oauth/sdk.gen.ts')).href), world)
  })
})

/**
 * Lints documents in the folder. Returns each problem as its file, its rule and its location. All documents are linted
 * at once, because loading the linter takes longer than linting them.
 */
function lintedProblems(folder: string, names: readonly string[]): string[] {
  // The world's URLs are on localhost.
  const rules = ['--extends=recommended-strict', '--skip-rule=no-server-example.com']
  const files = names.map((name) => `${name}.json`)
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [join(packages, '@redocly/cli/bin/cli.js'), 'lint', '--format=json', ...rules, ...files],
    {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    },
  )
  // The linter prints one JSON object for each document.
  const results = stdout.split(/(?<=^\})(?=\{)/m)
  assert.equal(results.length, files.length, `${stdout}${stderr}`)
  return results.flatMap((result, at) => {
    const { problems } = JSON.parse(result) as { problems: { ruleId: string; location: { pointer: string }[] }[] }
    return problems.map(({ ruleId, location }) => `${files[at]} ${ruleId} ${location[0]?.pointer}`)
  })
}

/** Compiles only if the types of openapi-typescript tell lists, records and parameters apart. */
const typesUsed = `
import type { components, paths } from './control.types.ts'
import type { components as oauth } from './oauth.types.ts'
type Listed = paths['/v1/users']['get']['responses'][200]['content']['application/json']
export const listed: Listed = { items: [] as components['schemas']['User'][], next: null }
export const query: paths['/v1/bots']['get']['parameters']['query'] = { limit: 3, state: 'offline', runtimeConnected: false }
// @ts-expect-error: not a state
export const wrong: paths['/v1/bots']['get']['parameters']['query'] = { state: 'asleep' }
export const lifetimeSeconds: oauth['schemas']['TokenResponse']['expires_in'] = 900
`

/** Uses the native compiler, which takes a quarter of the time. */
function compile(folder: string): void {
  const compilerOptions = {
    ...{ target: 'esnext', module: 'nodenext', lib: ['esnext', 'dom', 'dom.iterable'], types: [], strict: true },
    skipLibCheck: true,
    ...{ noEmit: true, allowImportingTsExtensions: true, erasableSyntaxOnly: true, verbatimModuleSyntax: true },
  }
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['**/*.ts'] }))
  const { status, stdout } = spawnSync(process.execPath, [join(packages, 'typescript-7/bin/tsc'), '-p', folder], {
    encoding: 'utf8',
  })
  assert.equal(status, 0, stdout)
}

type Sdk = Record<string, (options: object) => Promise<{ data?: unknown; error?: unknown }>>

async function useControl(sdk: Sdk, { controlUrl: baseUrl, operatorKey }: World): Promise<void> {
  const call = async (operation: string, options: object) => {
    const { data, error } = await sdk[operation]!({ baseUrl, auth: operatorKey, ...options })
    return { data, error } as { data: { items: { id: string }[]; next: string | null }; error: { detail: string } }
  }
  for (const userId of ['cleo', 'dan']) await call('putUser', { path: { userId }, body: { name: userId } })
  const first = await call('listUsers', { query: { limit: 1 } })
  const second = await call('listUsers', { query: { limit: 1, after: first.data.next } })
  const ids = [first, second].flatMap(({ data }) => data.items.map(({ id }) => id))
  assert.deepEqual(ids, ['dan', 'cleo'])
  assert.deepEqual((await call('getUser', { path: { userId: 'dan' } })).data, first.data.items[0])
  const refused = await call('listUsers', { query: { limit: 0 } })
  assert.match(refused.error.detail, /^The parameter limit is malformed/)
}

async function useOwners(sdk: Sdk, world: World): Promise<void> {
  const { baseUrl } = world
  const { name, email, password } = ada
  await provision(world, 'PUT', '/v1/users/ada', { name, email, password })
  const bot = { ownerId: 'ada', name: 'Lantern', chatPlatformId: '215215215215215215' }
  await provision(world, 'PUT', '/v1/bots/lantern', bot)
  const auth = await makeToken(await signedIn(world), world)
  const { data: bots } = await sdk.listBots!({ baseUrl, auth })
  assert.deepEqual(pluck((bots as { items: { id: string }[] }).items, 'id'), ['lantern'])
  const path = { botId: 'lantern' }
  const { data: changed } = await sdk.putHosting!({ baseUrl, auth, path, body: { enabled: true } })
  assert.equal((changed as { hostingEnabled: boolean }).hostingEnabled, true)
  const { error } = await sdk.getFlow!({ baseUrl, auth, path: { ...path, flowId: 'none' } })
  assert.equal((error as { detail: string }).detail, 'The bot has no such flow.')
}

async function useOauth(sdk: Sdk, world: World): Promise<void> {
  const { baseUrl } = world
  const client = await adaWithClient(world)
  const browser = await signedIn(world)
  const body = codeGrant(client, await codeFor(world, browser, client))
  const { data: tokens } = await sdk.token!({ baseUrl, body })
  const { access_token: auth } = tokens as { access_token: string }
  const { data: userinfo } = await sdk.userinfo!({ baseUrl, auth })
  assert.equal((userinfo as { sub: string }).sub, ada.id)
  const { error } = await sdk.token!({ baseUrl, body })
  assert.equal((error as { error: string }).error, 'invalid_grant')
}
