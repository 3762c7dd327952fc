// SPDX-License-Identifier: Apache-2.0
/*
 * weft_tensor.hpp - tensors with operators (weft/tensor.h).
 *
 *     weft::context ctx;
 *     weft::tensor x(ctx, {2, 2}, std::vector<float>{1, 2, 3, 4});
 *     weft::tensor y = weft::relu(weft::matmul(x, x) - 8.0) + x;
 *     std::vector<float> out = y.read<float>();
 *
 * What is not here is reached through get() and tensor(ctx, pointer).
 */
#ifndef WEFT_TENSOR_HPP
#define WEFT_TENSOR_HPP

#include <initializer_list>

#include <weft/tensor.h>

#include "weft_pool.hpp"

namespace weft {

template <class T> constexpr weft_dtype dtype_of()
{
    using U = std::remove_cv_t<T>;
    if constexpr (std::is_same_v<U, bool>) return WEFT_BOOL;
    else if constexpr (std::is_same_v<U, float>) return WEFT_F32;
    else if constexpr (std::is_same_v<U, double>) return WEFT_F64;
    else if constexpr (std::is_same_v<U, half>) return WEFT_F16;
    else if constexpr (std::is_same_v<U, std::int32_t>) return WEFT_I32;
    else if constexpr (std::is_same_v<U, std::uint32_t>) return WEFT_U32;
    else if constexpr (std::is_same_v<U, std::int8_t>) return WEFT_I8;
    else if constexpr (std::is_same_v<U, std::uint8_t>) return WEFT_U8;
    else if constexpr (std::is_same_v<U, std::int64_t>) return WEFT_I64;
    else static_assert(sizeof(U) == 0, "not a type of tensors");
}

namespace detail {
inline weft_tensor *tensor_retain(weft_tensor *t) { return weft_tensor_retain(t); }
inline void tensor_release(weft_tensor *t) { weft_tensor_release(t); }
} // namespace detail

class tensor {
public:
    tensor() = default;
    /* Takes over a result of the C interface; null is an error of the context. */
    tensor(const context &c, weft_tensor *t) : context_(c), handle_(t)
    {
        if (!t)
            context_.check();
    }
    template <class T> tensor(const context &c, const shape &sizes, const std::vector<T> &values)
        : tensor(c, make(c, sizes, dtype_of<T>(), values.data(), values.size() * sizeof(T))) {}
    static tensor full(const context &c, const shape &sizes, double value,
                       weft_dtype dtype = WEFT_F32)
    {
        return {c, weft_tensor_full(c.get(), dtype, static_cast<std::uint32_t>(sizes.size()),
                                    sizes.data(), value)};
    }
    static tensor arange(const context &c, double start, double stop, double step = 1,
                         weft_dtype dtype = WEFT_F32)
    {
        return {c, weft_tensor_arange(c.get(), dtype, start, stop, step)};
    }

    weft_tensor *get() const { return handle_.get(); }
    const context &in() const { return context_; }
    void release() { handle_.release(); }
    explicit operator bool() const { return bool(handle_); }

    weft_dtype dtype() const { return weft_tensor_dtype(get()); }
    std::uint64_t count() const { return weft_tensor_count(get()); }
    shape sizes() const
    {
        const std::uint64_t *s = weft_tensor_shape(get());
        return s ? shape(s, s + weft_tensor_rank(get())) : shape{};
    }
    /* The elements; T must be their type. */
    template <class T> std::vector<T> read() const
    {
        static_assert(!std::is_same_v<T, bool>, "read booleans as std::uint8_t");
        std::vector<T> out(static_cast<std::size_t>(count()));
        if (!typed<T>() || !read(span<T>(out.data(), out.size())))
            out.clear();
        return out;
    }
    template <class T> bool read(span<T> out) const
    {
        return context_.checked(weft_tensor_read(out.data(), out.size() * sizeof(T), get()));
    }
    double item() const
    {
        double value = 0;
        context_.checked(weft_tensor_item(&value, get()));
        return value;
    }
    /* Copies the elements of another tensor, broadcast and cast, into this one. */
    bool assign(const tensor &from) const
    {
        return context_.checked(weft_tensor_assign(get(), from.get()));
    }

    tensor reshape(const shape &s) const
    {
        return {context_, weft_tensor_reshape(get(), std::uint32_t(s.size()), s.data())};
    }
    tensor expand(const shape &s) const
    {
        return {context_, weft_tensor_expand(get(), std::uint32_t(s.size()), s.data())};
    }
    tensor transpose(int a = -2, int b = -1) const
    {
        return {context_, weft_tensor_transpose(get(), a, b)};
    }
    tensor select(int axis, std::int64_t index) const
    {
        return {context_, weft_tensor_select(get(), axis, index)};
    }
    tensor narrow(int axis, std::uint64_t start, std::uint64_t length) const
    {
        return {context_, weft_tensor_narrow(get(), axis, start, length)};
    }
    tensor cast(weft_dtype to) const { return {context_, weft_tensor_cast(get(), to)}; }
    tensor copy() const { return {context_, weft_tensor_copy(get())}; }
    tensor softmax(int axis = -1) const { return {context_, weft_tensor_softmax(get(), axis)}; }

private:
    template <class T> bool typed() const
    {
        weft_dtype is = dtype();
        if (is == dtype_of<T>() || (is == WEFT_BOOL && dtype_of<T>() == WEFT_U8))
            return true;
        detail::fail(error(WEFT_ERROR_TYPE, std::string("the tensor is ") + weft_dtype_name(is)
                                                + ", not " + weft_dtype_name(dtype_of<T>())));
        return false;
    }
    static weft_tensor *make(const context &c, const shape &sizes, weft_dtype dtype,
                             const void *data, std::uint64_t bytes)
    {
        weft_tensor_desc d{};
        d.dtype = dtype;
        d.rank = static_cast<std::uint32_t>(sizes.size());
        for (std::size_t i = 0; i < sizes.size() && i < WEFT_MAX_RANK; i++)
            d.shape[i] = sizes[i];
        d.data = data;
        d.data_size = bytes;
        return weft_tensor_create(c.get(), &d);
    }
    context context_{context_options{{}, {}, true, 0, 0, false}};
    detail::handle<weft_tensor, detail::tensor_release, detail::tensor_retain> handle_;
};

/* A number, which takes the type of what it is combined with. */
inline tensor scalar(const context &c, double value)
{
    return {c, weft_tensor_scalar(c.get(), value)};
}

/* ---- the operators of tensor_ops.def: weft::exp(x), weft::add(a, b), weft::sum(x, {0}) ---- */

#define UNARY(name, types, meaning)                                                            \
    inline tensor name(const tensor &x) { return {x.in(), weft_tensor_##name(x.get())}; }
#define BINARY(name, types, meaning)                                                           \
    inline tensor name(const tensor &a, const tensor &b)                                       \
    {                                                                                          \
        return {a.in(), weft_tensor_##name(a.get(), b.get())};                                 \
    }                                                                                          \
    inline tensor name(const tensor &a, double b) { return name(a, scalar(a.in(), b)); }       \
    inline tensor name(double a, const tensor &b) { return name(scalar(b.in(), a), b); }
#define REDUCTION(name, types, meaning)                                                        \
    inline tensor name(const tensor &x, std::initializer_list<int> axes = {}, bool keep = false)\
    {                                                                                          \
        weft_axes a{};                                                                         \
        for (int axis : axes)                                                                  \
            if (a.count < WEFT_MAX_RANK)                                                       \
                a.axes[a.count++] = axis;                                                      \
        a.keep = keep;                                                                         \
        return {x.in(), weft_tensor_##name(x.get(), &a)};                                      \
    }
#include <weft/tensor_ops.def>

inline tensor matmul(const tensor &a, const tensor &b)
{
    return {a.in(), weft_tensor_matmul(a.get(), b.get())};
}
inline tensor where(const tensor &condition, const tensor &a, const tensor &b)
{
    return {a.in(), weft_tensor_where(condition.get(), a.get(), b.get())};
}
inline tensor concat(const std::vector<tensor> &all, int axis)
{
    std::vector<weft_tensor *> raw;
    for (const tensor &t : all)
        raw.push_back(t.get());
    return all.empty() ? tensor()
                       : tensor(all[0].in(), weft_tensor_concat(
                             raw.data(), static_cast<std::uint32_t>(raw.size()), axis));
}
inline tensor operator-(const tensor &x) { return neg(x); }

#define WEFT_OPERATOR(symbol, name)                                                            \
    inline tensor operator symbol(const tensor &a, const tensor &b) { return name(a, b); }     \
    inline tensor operator symbol(const tensor &a, double b) { return name(a, b); }            \
    inline tensor operator symbol(double a, const tensor &b) { return name(a, b); }
WEFT_OPERATOR(+, add)
WEFT_OPERATOR(-, sub)
WEFT_OPERATOR(*, mul)
WEFT_OPERATOR(/, div)
WEFT_OPERATOR(<, less)
WEFT_OPERATOR(>, greater)
#undef WEFT_OPERATOR

} // namespace weft

#endif
