// SPDX-License-Identifier: Apache-2.0
//
// context.mjs - the same for `import`.
import context from './context.js';

export const { Context, createContext, defaultContext, setDefaultContext, whyUnavailable, WeftError } = context;
