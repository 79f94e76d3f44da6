// SPDX-License-Identifier: Apache-2.0
/// Macros with plain names that headers of others define, each as something that compiles nowhere a name is expected:
/// X.h and Xlib.h, windows.h and what it includes, rpcndr.h, sysmacros.h, AssertMacros.h, dialects of g++.
#pragma once

#define None 0L
#define Always 2
#define Never 3
#define Bool int
#define Status int
#define Success 0
#define True 1
#define False 0
#define Above 0
#define Below 1
#define Opposite 4
#define Complex 0
#define Convex 2
#define Nonconvex 1
#define Unsorted 0
#define CurrentTime 0L
#define DestroyAll 0

#undef min
#undef max
#define min(a, b) (((a) < (b)) ? (a) : (b))
#define max(a, b) (((a) > (b)) ? (a) : (b))
#define near
#define far
#define small char
#define hyper 0
#define interface struct
#define pascal
#define cdecl
#define IN
#define OUT
#define OPTIONAL
#define CONST const
#define VOID void
#define BOOL int
#define TRUE 1
#define FALSE 0
#define ERROR 0
#define NO_ERROR 0L
#define DELETE 0x10000L
#define STRICT 1
#define ABSOLUTE 1
#define RELATIVE 2
#define TRANSPARENT 1
#define OPAQUE 2
#define CALLBACK
#define Yield()
#define GetMessage GetMessageA
#define GetObject GetObjectA
#define CreateFile CreateFileA
#define CopyFile CopyFileA
#define LoadImage LoadImageA
#define FindText FindTextA

#define major(device) 0
#define minor(device) 0
#define verify(condition)
#define linux 1
#define unix 1
#define complex _Complex
#define PI 3.14159
#define MIN(a, b) (a)
#define MAX(a, b) (a)
#define CHECK(condition)
#define LOG(level)
#define DEBUG 1
#define INFO 0
