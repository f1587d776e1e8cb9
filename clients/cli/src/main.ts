#!/usr/bin/env node
import { createRequire } from 'node:module'
import { surviveClosedOutput } from '../../../src/commands/closed-output.ts'
import { runClient } from './run-client.ts'

// Resolves package.json by the package's own name: its relative path would differ between sources and compiled files.
const { version } = createRequire(import.meta.url)('@gatehouse/cli/package.json') as { version: string }

surviveClosedOutput()
process.exit(await runClient(process.argv.slice(2), version))
