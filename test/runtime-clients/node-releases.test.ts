import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { builtPackages, version } from '../support/built-packages.ts'
import { fromNpm, nodeRelease, nodeReleases } from '../support/from-npm.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { passesKit } from './client-program.ts'

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)
const readBot = () =>
  readFileSync(join(root, 'clients/typescript/conformance/bot.ts'), 'utf8').replace(
    "'../src/runtime.ts'",
    "'@gatehouse/runtime'",
  )
/** CommonJS has no top-level `await`. Without it, a rejection ends the process too. */
const withoutTopLevelAwait = (bot: string) => bot.replace('\nawait runtime.ended', '')

/** A project outside the repository with these files and the built client. */
async function openProject(t: TestContext, files: Record<string, string>): Promise<string> {
  const folder = temporaryFolder(t)
  const installed = join(folder, 'node_modules/@gatehouse/runtime')
  mkdirSync(installed, { recursive: true })
  const archive = join(await builtPackages(), `gatehouse-runtime-${version}.tgz`)
  await run('tar', ['-xzf', archive, '--strip-components=1', '-C', installed])
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

describe('our choice: the TypeScript client works alike on each release of Node', () => {
  for (const release of nodeReleases) {
    test(`the built client passes every case of the conformance kit on Node ${release}`, async (t) => {
      const folder = await openProject(t, { 'bot.mjs': stripTypeScriptTypes(readBot()) })
      await passesKit(t, [await nodeRelease(release), join(folder, 'bot.mjs')])
    })

    test(`the built client can be required on Node ${release}, and names its exports`, async (t) => {
      const program = `
        const { connect, RuntimeRefused } = require('@gatehouse/runtime')
        const { discordReports } = require('@gatehouse/runtime/discord')
        console.log([connect, RuntimeRefused, discordReports].map((one) => typeof one).join())
        import('@gatehouse/runtime').then((module) => console.log(Object.keys(module).sort().join()))`
      const folder = await openProject(t, { 'main.js': program })
      const { stdout } = await run(await nodeRelease(release), [join(folder, 'main.js')])
      assert.equal(stdout, 'function,function,function\nRuntime,RuntimeRefused,connect\n')
    })
  }
})

/** Settings of TypeScript projects whose output is CommonJS. The first is what TypeScript 5 does by default. */
const commonJsProjects = {
  'module commonjs, node10': { module: 'commonjs', moduleResolution: 'node10', ignoreDeprecations: '6.0' },
  'module commonjs, bundler': { module: 'commonjs', moduleResolution: 'bundler' },
  'module node16': { module: 'node16' },
  'module node20': { module: 'node20' },
  'module nodenext': { module: 'nodenext' },
}

const usesDiscord = `
import { discordReports } from '@gatehouse/runtime/discord'
export const reports = discordReports(() => undefined)
`

describe('our choice: the TypeScript client works in CommonJS projects and in bundles', () => {
  for (const [title, settings] of Object.entries(commonJsProjects)) {
    test(`a project with ${title} type-checks, and its output runs on Node 20`, async (t) => {
      const compilerOptions = {
        ...settings,
        target: 'es2022',
        strict: true,
        skipLibCheck: false,
        outDir: 'out',
        rootDir: '.',
        types: ['node'],
        typeRoots: [join(root, 'node_modules/@types')],
      }
      const folder = await openProject(t, {
        'package.json': '{"private": true}',
        'tsconfig.json': JSON.stringify({ compilerOptions, files: ['bot.ts', 'discord.ts'] }),
        'bot.ts': `${withoutTopLevelAwait(readBot())}\nimport './discord'\n`,
        'discord.ts': usesDiscord,
      })
      const compiler = join(root, 'node_modules/typescript/bin/tsc')
      await run(process.execPath, [compiler], { cwd: folder }).catch(({ stdout }) => assert.fail(stdout))
      await passesKit(t, [await nodeRelease('20'), join(folder, 'out/bot.js')], ['--only', 'acknowledged once'])
    })
  }

  for (const format of ['cjs', 'esm']) {
    test(`a bundle of esbuild in the format ${format} runs on Node 20`, async (t) => {
      const folder = await openProject(t, { 'bot.ts': withoutTopLevelAwait(readBot()), 'package.json': '{}' })
      const esbuild = await fromNpm('esbuild', 'latest', 'esbuild/bin/esbuild')
      const out = join(folder, format === 'cjs' ? 'out.cjs' : 'out.mjs')
      const words = ['--bundle', '--platform=node', '--target=node20', `--format=${format}`, `--outfile=${out}`]
      await run(esbuild, [join(folder, 'bot.ts'), ...words])
      rmSync(join(folder, 'node_modules'), { recursive: true })
      await passesKit(t, [await nodeRelease('20'), out], ['--only', 'acknowledged once'])
    })
  }
})
