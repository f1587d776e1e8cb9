import { createHash } from 'node:crypto'
import type { Archive } from './sources.ts'
import { type ZipEntry, zip } from './zip.ts'

interface WheelParts {
  /** The contents of `pyproject.toml`. */
  project: string
  version: string
  readme: string
  license: string
  modules: readonly { name: string; text: string }[]
}

/**
 * Returns a wheel of modules without a folder (PyPA "Binary distribution format"). pip installs a wheel without
 * building it, so the user needs no setuptools.
 *
 * @throws Error if `pyproject.toml` lacks a value.
 */
export function wheel({ project, version, readme, license, modules }: WheelParts): Archive {
  const stem = `${settingOf(project, 'name').replaceAll('-', '_')}-${version}`
  const info = `${stem}.dist-info`
  const dependencies = [...(/^dependencies = \[(.*)\]$/m.exec(project)?.[1] ?? '').matchAll(/"([^"]+)"/g)]
  const metadata = `Metadata-Version: 2.1
Name: ${settingOf(project, 'name')}
Version: ${version}
Summary: ${settingOf(project, 'description')}
License: Apache-2.0
Requires-Python: ${settingOf(project, 'requires-python')}
${dependencies.map(([, one]) => `Requires-Dist: ${one}\n`).join('')}Description-Content-Type: text/markdown

${readme}`
  const entries: ZipEntry[] = [
    ...modules.map(({ name, text }) => ({ path: name, text })),
    { path: `${info}/LICENSE`, text: license },
    { path: `${info}/METADATA`, text: metadata },
    {
      path: `${info}/WHEEL`,
      text: 'Wheel-Version: 1.0\nGenerator: gatehouse\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
    },
  ]
  const record = `${info}/RECORD`
  entries.push({ path: record, text: `${entries.map(recorded).join('')}${record},,\n` })
  return { name: `${stem}-py3-none-any.whl`, bytes: zip(entries) }
}

function settingOf(project: string, name: string): string {
  const found = new RegExp(`^${name} = "(.+)"$`, 'm').exec(project)?.[1]
  if (found === undefined) throw new Error(`pyproject.toml has no ${name}`)
  return found
}

function recorded({ path, text }: ZipEntry): string {
  const digest = createHash('sha256').update(text).digest('base64url')
  return `${path},sha256=${digest},${Buffer.byteLength(text)}\n`
}
